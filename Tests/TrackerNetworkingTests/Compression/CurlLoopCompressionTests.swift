import TestSupport
import Testing
import TrackerModels

@testable import TrackerNetworking

@Suite("CurlLoop: compression")
struct CurlLoopCompressionTests {
    private let body = String(repeating: #"{"event":"PURCHASE","total":149.99}"#, count: 100)

    @Test("a large body goes as gzip, a small one plain, and both sizes are told")
    func threshold() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop { $0.compressionThreshold = 100 }

        let large = try await loop.answer(to: .post(server.url, body: body))
        let small = try await loop.answer(to: .post(server.url, body: String(body.prefix(99))))
        let exact = try await loop.answer(to: .post(server.url, body: String(body.prefix(100))))

        let requests = server.requests
        #expect(requests.map { $0.header("Content-Encoding") } == ["gzip", nil, "gzip"])
        #expect(requests.map(\.text) == [body, String(body.prefix(99)), String(body.prefix(100))])
        #expect(large.bodyBytes == body.utf8.count)
        #expect(large.sentBytes == requests[0].body.count)
        #expect(large.sentBytes < large.bodyBytes / 5)
        #expect((small.bodyBytes, small.sentBytes) == (99, 99))
        #expect(exact.sentBytes < 100)
    }

    @Test("a body that gzip does not make smaller goes plain")
    func incompressible() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }

        _ = try await loop.answer(to: HTTPRequest(method: .post, url: server.url, body: noise))

        #expect(server.requests[0].header("Content-Encoding") == nil)
        #expect(server.requests[0].body == noise)
    }

    @Test("nothing is compressed when the configuration, the request or its own encoding says so")
    func off() async throws {
        let server = try LoopbackServer()
        let plain = try CurlLoop { $0.compression = .none }
        let loop = try CurlLoop()
        var request = HTTPRequest.post(server.url, body: body)

        _ = try await plain.answer(to: request)
        request.headers["Content-Encoding"] = "br"
        _ = try await loop.answer(to: request)
        request.headers["Content-Encoding"] = nil
        request.isCompressible = false
        _ = try await loop.answer(to: request)

        #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, "br", nil])
    }

    @Test("a host that refuses gzip gets the body once more plain, and plain from then on", arguments: [415, 400])
    func fallback(status: Int) async throws {
        let server = try LoopbackServer { .status($0.header("Content-Encoding") == nil ? 200 : status) }
        let loop = try CurlLoop()
        let request = HTTPRequest.post(server.url, headers: ["Idempotency-Key": "m1"], body: body)

        let first = try await loop.answer(to: request)
        let second = try await loop.answer(to: request)

        #expect(first.status == 200)
        #expect(first.sentBytes == body.utf8.count)
        #expect(second.status == 200)
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil, nil])
        #expect(server.requests.map(\.text) == [body, body, body])
        #expect(server.requests.allSatisfy { $0.header("Idempotency-Key") == "m1" })
        #expect(server.connections == 1)
    }

    @Test("one host's refusal is no other's")
    func perHost() async throws {
        let refusing = try LoopbackServer { .status($0.header("Content-Encoding") == nil ? 200 : 415) }
        let taking = try LoopbackServer()
        let loop = try CurlLoop()

        _ = try await loop.answer(to: .post(refusing.url, body: body))
        _ = try await loop.answer(to: .post(taking.url, body: body))

        #expect(taking.requests[0].header("Content-Encoding") == "gzip")
    }

    @Test("a 400 from a host that is known to understand gzip is the answer")
    func badBody() async throws {
        let server = try LoopbackServer(script: [.status(200), .status(400)])
        let loop = try CurlLoop()

        _ = try await loop.answer(to: .post(server.url, body: body))
        let second = try await loop.answer(to: .post(server.url, body: body))

        #expect(second.status == 400)
        #expect(server.requests.count == 2)
    }

    @Test("a body refused both ways leaves compression on, and proves nothing: the next is tried both ways too")
    func refusedBothWays() async throws {
        let server = try LoopbackServer { .status($0.header("Content-Encoding") == nil && $0.number > 2 ? 200 : 400) }
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url, body: body)).status == 400)
        #expect(try await loop.answer(to: .post(server.url, body: body)).status == 200)
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil, "gzip", nil])
    }

    @Test("an outage during the second try proves nothing: the body is tried both ways again")
    func outage() async throws {
        let server = try LoopbackServer { request in
            if request.header("Content-Encoding") != nil { return .status(400) }
            return request.number == 1 ? .status(503) : .status(200)
        }
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url, body: body)).status == 503)
        #expect(try await loop.answer(to: .post(server.url, body: body)).status == 200)
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil, "gzip", nil])
    }

    @Test("the compressed body follows a redirect")
    func redirect() async throws {
        let server = try LoopbackServer(script: [.redirect(to: "/there"), .status(200)])
        let loop = try CurlLoop()

        _ = try await loop.answer(to: .post(server.url, body: body))

        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", "gzip"])
        #expect(server.requests.map(\.text) == [body, body])
    }

    @Test("an answer that is compressed unasked is unpacked")
    func compressedAnswer() async throws {
        let text = String(repeating: #"{"data":{"id":"S1"}}"#, count: 50)
        let packed = try packed(Array(text.utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
        let server = try LoopbackServer(script: [.raw(Array(head.utf8) + packed, then: .keepAlive)])
        let loop = try CurlLoop()

        let response = try await loop.answer(to: .post(server.url))

        #expect(response.text == text)
        #expect(response.isBodyWhole)
        #expect(server.requests.first?.header("Accept-Encoding") == "identity")
    }

    @Test("an answer that unpacks to more than is read is not kept")
    func compressedBomb() async throws {
        let packed = try packed(Array(repeating: 0x20, count: 3 << 20))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
        let server = try LoopbackServer(script: [.raw(Array(head.utf8) + packed, then: .keepAlive)])
        let loop = try CurlLoop()

        let response = try await loop.answer(to: .post(server.url))

        #expect(!response.isBodyWhole)
        #expect(response.body.isEmpty)
    }

    private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
        guard let compressor = GzipCompressor(), let packed = compressor.compress(bytes) else {
            throw TransportError(.unavailable, host: "", message: "nothing was packed")
        }
        return packed
    }
}
