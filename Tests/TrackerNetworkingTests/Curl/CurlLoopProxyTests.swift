import TestSupport
import Testing
import TrackerNetworking

@testable import TrackerNetworking

@Suite("CurlLoop: proxies")
struct CurlLoopProxyTests {
    @Test("a proxy that asks for a password is named as such without one, and passes on requests with one")
    func http() async throws {
        let server = try LoopbackServer()
        let proxy = try LoopbackRelay(to: .proxy(credentials: "ada:hunter2"))
        let wrong = try CurlLoop { $0.proxy = "http://ada:wrong@127.0.0.1:\(proxy.port)" }
        let right = try CurlLoop { $0.proxy = "http://ada:hunter2@127.0.0.1:\(proxy.port)" }

        let error = try await wrong.failure(of: .post(server.url))
        let response = try await right.answer(to: .post(server.url))

        #expect(error.kind == .proxyRefused)
        #expect(error.message.contains("The proxy 127.0.0.1:\(proxy.port) refused (407)"))
        #expect(error.host == "127.0.0.1:\(server.port)")
        #expect(!error.message.contains("ada"))
        #expect(!error.message.contains("wrong"))
        #expect(response.status == 200)
        #expect(server.requests.count == 1)
    }

    @Test("so is one that is to tunnel to an https host", .enabled(if: ChildProcess.exists("openssl")))
    func connect() async throws {
        let authority = try await Authority()
        let (server, url) = try await authority.server()
        let bundle = authority.bundle
        let proxy = try LoopbackRelay(to: .proxy(credentials: "ada:hunter2"))
        let wrong = try CurlLoop { $0.proxy = proxy.url }
        let right = try CurlLoop {
            $0.proxy = "http://ada:hunter2@127.0.0.1:\(proxy.port)"
            $0.caBundle = bundle
        }

        let error = try await wrong.failure(of: .post(url))
        let response = try await right.answer(to: HTTPRequest(method: .get, url: url))

        #expect(error.kind == .proxyRefused)
        #expect(error.message.contains("The proxy 127.0.0.1:\(proxy.port) refused (407)"))
        #expect(response.status == 200)
        withExtendedLifetime(server) {}
    }

    @Test("any other refusal to tunnel is the proxy's own as well", arguments: [401, 403, 404, 413, 503])
    func refusedTunnel(status: Int) async throws {
        let proxy = try LoopbackServer(script: [.status(status, then: .close)])
        let loop = try CurlLoop { $0.proxy = proxy.url }

        let error = try await loop.failure(of: .post("https://api.example.com/x"))

        #expect(error.kind == .proxyRefused)
        #expect(error.message.contains("(\(status))"))
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }

    @Test("what a server answers through a proxy is the server's answer", arguments: [401, 403, 503])
    func serversAnswer(status: Int) async throws {
        let server = try LoopbackServer(script: [.status(status)])
        let proxy = try LoopbackRelay(to: .proxy())
        let loop = try CurlLoop { $0.proxy = proxy.url }

        #expect(try await loop.answer(to: .post(server.url)).status == status)
        #expect(proxy.accepted.all.count == 1)
    }

    @Test(
        "a proxy's name is its host and port",
        arguments: [
            ("http://p.example:3128", "p.example:3128"), ("p.example:3128", "p.example:3128"),
            ("https://u:p@ss/w@p.example:1/x?y", "p.example:1"), ("socks5://[::1]:1080", "[::1]:1080"),
            ("u:p@p.example", "p.example"), ("", nil),
        ] as [(String, String?)])
    func names(setting: String, name: String?) {
        #expect(ProxyURL.find(setting, isSecure: true) { _ in "http://other:1" }?.name == name)
    }

    @Test(
        "its password is masked, whatever it holds, and its user name is not",
        arguments: [
            ("http://proxy.example:8080", "http://proxy.example:8080"),
            ("http://user@proxy.example", "http://user@proxy.example"),
            ("http://user:password@proxy.example:8080/", "http://user:****word@proxy.example:8080/"),
            ("user:p@ss@proxy.example", "user:****@proxy.example"),
            ("socks5h://u:pw@[::1]:1080", "socks5h://u:****@[::1]:1080"),
            ("http://u:a/b@proxy.example", "http://u:****@proxy.example"),
            ("u:a://b?c#d@proxy.example", "u:****?c#d@proxy.example"),
            ("http://u:\u{301}a@proxy.example", "http://u:****@proxy.example"),
        ])
    func masked(text: String, shown: String) {
        #expect(ProxyURL(text).masked == shown)
    }

    @Test(
        "it is masked in the error about a proxy that libcurl cannot use",
        arguments: ["hunter2", String(repeating: "hunter2", count: 60)])
    func unusable(password: String) async throws {
        let loop = try CurlLoop { $0.proxy = "ftp://ada:\(password)@127.0.0.1:1" }

        let error = try await loop.failure(of: .post("http://127.0.0.1:1/x"))

        #expect(error.kind == .connect)
        #expect(error.message.contains("'ftp://ada:****"))
        #expect(!error.message.contains("hunter2"))
    }

    @Test("without a setting it is the environment's, by the names that libcurl looks at")
    func environment() {
        let variables = ["http_proxy": "http://a:1", "HTTPS_PROXY": "http://u:p@b:2", "HTTP_PROXY": "http://x:9"]

        #expect(ProxyURL.find(nil, isSecure: false) { variables[$0] }?.name == "a:1")
        #expect(ProxyURL.find(nil, isSecure: true) { variables[$0] }?.name == "b:2")
        #expect(ProxyURL.find(nil, isSecure: true) { ["ALL_PROXY": "socks5://c:3"][$0] }?.name == "c:3")
        #expect(ProxyURL.find(nil, isSecure: true) { _ in nil }?.name == nil)
    }
}
