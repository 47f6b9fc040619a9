import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The bridge and the native analytics client", .serialized)
struct AnalyticsParityTests {
    private struct Silence: TrackerLog {
        func log(_ level: LogLevel, _ message: String) {}
    }

    private static let seed = Seeds.base(of: "AnalyticsParityTests")

    @Test("send and say the same, whatever happens", arguments: 0..<100)
    func generated(number: Int) async throws {
        let seed = Self.seed + UInt64(number)
        async let native = Self.play(seed) { AnalyticsClient(log: Silence()) }
        async let bridged = Self.play(seed) { try BridgedAnalytics() }
        let (expected, seen) = try await (native, bridged)

        for (expected, seen) in zip(expected.lines, seen.lines) where expected != seen {
            Issue.record("natively: \(expected)\nbridged:  \(seen)")
        }
        #expect(expected.lines.count == seen.lines.count)
    }

    @Test(
        "refuse the same options",
        arguments: [
            { $0.writeKey = "" }, { $0.writeKey = " " }, { $0.ingestionHost = "" }, { $0.ingestionHost = "ftp://a" },
            { $0.flushIntervalSeconds = 0 }, { $0.maxBatchSize = 0 }, { $0.requestTimeout = .zero },
            { $0.delivery.jitter = 7 },
        ] as [@Sendable (inout InitOptions) -> Void])
    func options(change: @Sendable (inout InitOptions) -> Void) async throws {
        var options = InitOptions(writeKey: "key-1234", ingestionHost: "https://in.example.com")
        change(&options)
        let (native, bridged) = (AnalyticsClient(log: Silence()), try BridgedAnalytics())

        let expected = await #expect(throws: TrackerError.self) { try await native.begin(options) }
        let seen = await #expect(throws: TrackerError.self) { try await bridged.begin(options) }

        #expect(expected?.code == .invalidConfiguration)
        // A duration's key in JSON is its native name with a suffix.
        #expect(seen?.message.replacing("requestTimeoutMs", with: "requestTimeout") == expected?.message)
        #expect(seen?.code == expected?.code)
        #expect(await bridged.enqueue(.alias(newUserId: "u"), messageId: nil).outcome == .dropped(.disabled))
        #expect(await native.enqueue(.alias(newUserId: "u"), messageId: nil).outcome == .dropped(.disabled))
    }

    private static func play(_ seed: UInt64, _ make: () throws -> any AnalyticsSurface) async throws -> ParityTrace {
        var chance = Chance(random: SeededGenerator(seed: seed))
        let folder = try TemporaryDirectory()
        let answers = Mutex<[Int]>([])
        let backend = try Backend { _ in answers.withLock { $0.isEmpty ? nil : .status($0.removeFirst()) } }
        // Nothing is sent but by a flush, so that it is not chance which events travel together.
        let options = InitOptions(
            writeKey: "key-12345678", ingestionHost: backend.server.url + "/base/", flushIntervalSeconds: 86_400,
            flushAt: 1_000, maxBatchSize: 1_000, app: AppInfo(name: "Shop", version: "1.2.3"),
            context: ["screen": ["width": 100], "extra": .object(chance.object())],
            delivery: DeliveryOptions(
                storageDirectory: folder.path("state"), retryDelay: .milliseconds(10), failureThreshold: 100,
                cooldown: .milliseconds(20), maxCooldown: .milliseconds(40)))
        var client = try make()
        try await client.begin(options)
        var results: [String] = []
        for _ in 0..<Int.random(in: 5...15, using: &chance.random) {
            switch Int.random(in: 0..<10, using: &chance.random) {
            case 0:
                try await settle(client)
                answers.withLock { $0 = [chance.oneOf([400, 413, 422, 500, 503])] }
            case 1:
                await client.resetAndWait()
                results.append("\(await client.getDebugInfo()["lifecycle"] ?? .null)")
                try await client.begin(options)
            case 2:
                try await settle(client)
                await client.shutdown(timeout: .seconds(60))
                client = try make()
                try await client.begin(options)
            case 3: results.append(describe(await client.getDebugInfo()))
            default:
                let id =
                    chance.flip(1, in: 4) ? CallerKey("chosen-\(Int.random(in: 0..<3, using: &chance.random))") : nil
                let call = chance.analyticsCall()
                let options = chance.flip(1, in: 3) && !call.isSetting ? chance.callOptions() : nil
                let scope = chance.flip(1, in: 3) ? chance.scope() : AnalyticsScope()
                let receipt = scope.hold { client.enqueue(call, options: options, messageId: id) }
                results.append("\(await receipt.outcome)")
            }
        }
        try await settle(client)
        results.append(describe(await client.getDebugInfo()))
        await client.shutdown(timeout: .seconds(60))
        let host = "127.0.0.1:\(backend.server.port)"
        return ParityTrace(results + backend.server.requests.map(\.parityLine), folder: folder.path, host: host)
    }

    private static func settle(_ client: any AnalyticsSurface) async throws {
        try await withGuard("settling") {
            while await client.flush(timeout: .seconds(60)).remaining > 0 { try Task.checkCancellation() }
        }
    }

    private static func describe(_ info: JSONObject) -> String {
        ["lifecycle", "queueLength", "writeKey", "anonymousId", "userId", "groupId", "account", "refused", "config"]
            .map { "\($0): \(info[$0] ?? .null)" }.joined(separator: " ")
    }
}

extension AnalyticsCall {
    /// Whether it is no event, and over the bridge takes no options.
    fileprivate var isSetting: Bool { if case .setAdvertisingId = self { true } else { false } }
}

extension Chance {
    fileprivate mutating func callOptions() -> CallOptions {
        CallOptions(
            userId: id(), anonymousId: id(), groupId: id(),
            timestamp: oneOf([nil, Timestamp(milliseconds: Int64.random(in: 0...2_000_000_000_000, using: &random))]),
            context: maybeObject().map { Properties($0) })
    }

    fileprivate mutating func scope() -> AnalyticsScope {
        AnalyticsScope(
            userId: id(), anonymousId: id(), groupId: id(), context: maybeObject().map { Properties($0) },
            properties: maybeObject().map { Properties($0) })
    }

    private mutating func id() -> IDOption {
        flip(1, in: 12) ? .given(nil) : oneOf([.leftOut, .given(name())])
    }

    fileprivate mutating func analyticsCall() -> AnalyticsCall {
        let values = maybeObject().map { Properties($0) }
        return switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: .track(event: name(), properties: values)
        case 2: .identify(userId: name(), traits: values)
        case 3: .group(groupId: name(), traits: values)
        case 4: .screen(name: name(), properties: values)
        case 5: .page(name: name(), properties: values)
        case 6: .alias(newUserId: name())
        default: .setAdvertisingId(oneOf([nil, " ", "6d92078a-8246-4ba4-ae5b-76104861e7dc"]))
        }
    }
}
