import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("GzipCompressor")
struct GzipCompressorTests {
    @Test("one stream compresses body after body, each whole by itself")
    func reused() throws {
        guard let compressor = GzipCompressor() else {
            Issue.record("zlib has no memory")
            return
        }
        for size in [50, 300, 1024, 65_536, 1_000_000] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7 % 40) }
            let result = compressor.compress(body)

            let packed = try #require(result, "\(size)")

            #expect(packed.count < body.count)
            #expect(packed.starts(with: [0x1F, 0x8B]))
            #expect(Gzip.decompress(packed) == body)
        }
    }

    @Test("what would not become smaller gives nothing, and spoils nothing", arguments: [0, 1, 2, 10, 20])
    func incompressible(size: Int) {
        guard let compressor = GzipCompressor() else {
            Issue.record("zlib has no memory")
            return
        }

        let packed = compressor.compress((0..<size).map { UInt8($0) })
        let after = compressor.compress([UInt8](repeating: 7, count: 1000))

        #expect(packed == nil)
        #expect(after.flatMap(Gzip.decompress) == [UInt8](repeating: 7, count: 1000))
    }
}

@Suite("CompressionPolicy")
struct CompressionPolicyTests {
    @Test("allows compression until a host has refused it and taken the same body plain")
    func refusal() {
        var policy = CompressionPolicy()

        #expect(policy.allows("https://a"))
        let isRetried = policy.retriesPlain(afterCompressed: 415, from: "https://a")
        #expect(isRetried)
        #expect(policy.allows("https://a"))
        policy.learn(fromPlain: 204, from: "https://a")
        #expect(!policy.allows("https://a"))
        #expect(policy.allows("https://b"))
    }

    @Test(
        "a body that is refused plain too teaches nothing of the host: it may be at fault itself",
        arguments: [400, 413, 422, 401, 403, 408, 429, 500, 503, 302])
    func neutral(status: Int) {
        var policy = CompressionPolicy()

        policy.learn(fromPlain: status, from: "https://a")
        let isRetried = policy.retriesPlain(afterCompressed: 400, from: "https://a")

        #expect(isRetried)
        #expect(policy.allows("https://a"))
    }

    @Test("a host whose 400 shows that it has read the body takes gzip")
    func read() {
        var policy = CompressionPolicy()

        let read = policy.retriesPlain(afterCompressed: 400, isRead: true, from: "https://a")
        let next = policy.retriesPlain(afterCompressed: 400, from: "https://a")

        #expect(!read)
        #expect(!next)
        #expect(policy.allows("https://a"))
    }

    @Test("a host that took gzip once has its 400 believed, but not its 415")
    func proven() {
        var policy = CompressionPolicy()

        let first = policy.retriesPlain(afterCompressed: 200, from: "https://a")
        let bad = policy.retriesPlain(afterCompressed: 400, from: "https://a")
        let unsupported = policy.retriesPlain(afterCompressed: 415, from: "https://a")

        #expect(!first)
        #expect(!bad)
        #expect(unsupported)
    }
}
