import Foundation
import TestSupport
import Testing
import TrackerNetworking

@Suite("CurlLoop: connections", .enabled(if: ChildProcess.exists("openssl") && ChildProcess.exists("node")))
struct CurlLoopConnectionTests {
    /// A server behind a network that can go away.
    private struct Route {
        let relay: LoopbackRelay
        let url: String
        let loop: CurlLoop
        /// What must live as long.
        let server: [any Sendable]

        /// - Parameter isHTTP2: Whether HTTP/2 over TLS is spoken, and not plain HTTP/1.1.
        init(isHTTP2: Bool) async throws {
            if isHTTP2 {
                let authority = try await Authority()
                let (process, url) = try await authority.http2Server()
                relay = try LoopbackRelay(
                    to: .port(try #require(URLComponents(string: url)?.port.flatMap(UInt16.init))))
                self.url = "https://127.0.0.1:\(relay.port)"
                let bundle = authority.bundle
                loop = try CurlLoop { $0.caBundle = bundle }
                server = [authority, process]
            } else {
                let plain = try LoopbackServer()
                relay = try LoopbackRelay(to: .port(plain.port))
                url = relay.url
                loop = try CurlLoop()
                server = [plain]
            }
        }

        /// A request that a network which has gone away costs this much time.
        var short: HTTPRequest {
            var request = HTTPRequest.post(url)
            request.timeout = .milliseconds(500)
            return request
        }
    }

    @Test("after a timeout the next request takes a new connection", arguments: [false, true])
    func timeout(isHTTP2: Bool) async throws {
        let route = try await Route(isHTTP2: isHTTP2)
        #expect(try await route.loop.answer(to: .post(route.url)).status == 200)

        route.relay.lose()
        #expect(try await route.loop.failure(of: route.short).kind == .timeout)
        route.relay.restore()
        let answers = [
            try await route.loop.answer(to: .post(route.url)), try await route.loop.answer(to: .post(route.url)),
        ]

        #expect(answers.map(\.status) == [200, 200])
        #expect(route.relay.accepted.all.count == 2)
        try await route.loop.closeAndWait()
        withExtendedLifetime(route.server) {}
    }

    @Test("a new connection is had for the asking, and then used on", arguments: [false, true])
    func idleRenewal(isHTTP2: Bool) async throws {
        let route = try await Route(isHTTP2: isHTTP2)
        #expect(try await route.loop.answer(to: .post(route.url)).status == 200)

        route.relay.lose()
        route.relay.restore()
        route.loop.renewConnections()
        for _ in 0..<3 { #expect(try await route.loop.answer(to: .post(route.url)).status == 200) }

        #expect(route.relay.accepted.all.count == 2)
        try await route.loop.closeAndWait()
        withExtendedLifetime(route.server) {}
    }

    @Test("a request that times out neither ends nor repeats another that is under way on its connection")
    func neighbours() async throws {
        let authority = try await Authority()
        let (process, url) = try await authority.http2Server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }
        let slow = Recorder<String?>()
        #expect(try await loop.answer(to: .post(url)).status == 200)
        loop.submit(.post(url, body: "slow")) { slow.record(try? $0.get().text) }
        var never = HTTPRequest.post(url, body: "never")
        never.timeout = .milliseconds(200)

        #expect(try await loop.failure(of: never).kind == .timeout)
        let release = try await loop.answer(to: .post(url, body: "release"))

        #expect(release.text.hasSuffix(" 2"))
        #expect(try await slow.values(atLeast: 1) == ["slow 1"])
        withExtendedLifetime(process) {}
    }

    @Test("a server that ends its HTTP/2 connection, as at a reload, gets the request again at once")
    func reload() async throws {
        let authority = try await Authority()
        let (process, url) = try await authority.http2Server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }
        #expect(try await loop.answer(to: .post(url)).text == "2.0 {} 1")

        for way in ["goaway", "goaway-error", "destroy", "reset"] {
            let outcome = try await loop.outcome(of: .post(url, body: way))
            #expect((try? outcome.get())?.text.hasPrefix("2.0 \(way) ") == true, "\(way): \(outcome)")
        }
        withExtendedLifetime(process) {}
    }

    @Test("a server that ends every HTTP/2 connection is not told to be no HTTP server")
    func lastingReload() async throws {
        let authority = try await Authority()
        let (process, url) = try await authority.http2Server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }

        let error = try await loop.failure(of: .post(url, body: "always"))

        #expect(error.kind == .receiveFailed)
        #expect(!error.message.contains("not HTTP"))
        withExtendedLifetime(process) {}
    }

    @Test("a failure is described by the attempt that failed last")
    func text() async throws {
        let server = try LoopbackServer()
        let relay = try LoopbackRelay(to: .port(server.port))
        let loop = try CurlLoop()
        #expect(try await loop.answer(to: .post(relay.url)).status == 200)

        relay.tearDown()
        let error = try await loop.failure(of: .post(relay.url))

        #expect(error.kind == .connect)
        #expect(!error.message.contains("reset"), "\(error)")
    }
}
