import Foundation
import TestSupport
import Testing
import TrackerNetworking

@Suite("CurlLoop: TLS", .enabled(if: ChildProcess.exists("openssl")))
struct CurlLoopTLSTests {
    private let authority: Authority

    init() async throws { authority = try await Authority() }

    @Test("a certificate of an unknown authority is refused")
    func unknownAuthority() async throws {
        let (server, url) = try await authority.server()
        let loop = try CurlLoop()

        let error = try await loop.failure(of: HTTPRequest(method: .get, url: url))

        #expect(error.kind == .tls)
        #expect(error.message.contains("127.0.0.1"))
        #expect(error.message.contains("certificate"))
        withExtendedLifetime(server) {}
    }

    @Test("caBundle makes its authorities known")
    func bundle() async throws {
        let (server, url) = try await authority.server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }

        #expect(try await loop.answer(to: HTTPRequest(method: .get, url: url)).status == 200)
        withExtendedLifetime(server) {}
    }

    @Test("a caBundle that is replaced holds for the next connection")
    func replacedBundle() async throws {
        let (server, url) = try await authority.server()
        let other = try await Authority()
        let (otherServer, otherURL) = try await other.server()
        let directory = try TemporaryDirectory()
        let bundle = URL(fileURLWithPath: directory.path("bundle.pem"))
        try Data(contentsOf: URL(fileURLWithPath: authority.bundle)).write(to: bundle)
        let loop = try CurlLoop { $0.caBundle = bundle.path }
        #expect(try await loop.answer(to: HTTPRequest(method: .get, url: url)).status == 200)
        #expect(try await loop.failure(of: HTTPRequest(method: .get, url: otherURL)).kind == .tls)

        try Data(contentsOf: URL(fileURLWithPath: other.bundle)).write(to: bundle)

        #expect(try await loop.answer(to: HTTPRequest(method: .get, url: otherURL)).status == 200)
        withExtendedLifetime((server, otherServer)) {}
    }

    @Test("a certificate for another host is refused")
    func otherHost() async throws {
        let (server, url) = try await authority.server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }

        let error = try await loop.failure(
            of: HTTPRequest(method: .get, url: url.replacing("127.0.0.1", with: "localhost")))

        #expect(error.kind == .tls)
        withExtendedLifetime(server) {}
    }

    @Test("an expired certificate is refused")
    func expired() async throws {
        let (server, url) = try await authority.server("expired")
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }

        #expect(try await loop.failure(of: HTTPRequest(method: .get, url: url)).kind == .tls)
        withExtendedLifetime(server) {}
    }

    @Test("a caBundle that is not there fails every request, saying so")
    func missingBundle() async throws {
        let (server, url) = try await authority.server()
        let missing = authority.bundle + ".missing"
        let loop = try CurlLoop { $0.caBundle = missing }

        let error = try await loop.failure(of: HTTPRequest(method: .get, url: url))

        #expect(error.kind == .tls)
        #expect(error.message.contains("caBundle"))
        withExtendedLifetime(server) {}
    }

    @Test("a server that demands a client certificate gets it, and takes nobody without one")
    func clientCertificate() async throws {
        let (server, url) = try await authority.server(demandsClient: true)
        let bundle = authority.bundle
        let client = try await authority.client()
        let stranger = try await Authority().client()
        let known = try CurlLoop {
            $0.caBundle = bundle
            $0.clientCertificate = client.certificate
            $0.clientKey = client.key
        }
        let unknown = try CurlLoop {
            $0.caBundle = bundle
            $0.clientCertificate = stranger.certificate
            $0.clientKey = stranger.key
        }
        let nobody = try CurlLoop { $0.caBundle = bundle }

        #expect(try await known.answer(to: HTTPRequest(method: .get, url: url)).status == 200)
        for loop in [unknown, nobody] {
            let error = try await loop.failure(of: HTTPRequest(method: .get, url: url))
            // With TLS 1.3 the server says so only once the client believes itself connected.
            #expect([.tls, .receiveFailed, .emptyReply].contains(error.kind), "\(error)")
        }
        withExtendedLifetime(server) {}
    }

    @Test("a certificate and a key that are no pair, or an encrypted key, fail every request, naming the options")
    func wrongPair() async throws {
        let (server, url) = try await authority.server()
        let bundle = authority.bundle
        let client = try await authority.client()
        let other = try await authority.client("other")
        let encrypted = try await authority.encrypted(client.key)

        for key in [other.key, encrypted, client.certificate] {
            let loop = try CurlLoop {
                $0.caBundle = bundle
                $0.clientCertificate = client.certificate
                $0.clientKey = key
            }
            let error = try await loop.failure(of: HTTPRequest(method: .get, url: url))

            #expect(error.kind == .tls)
            #expect(error.message.contains("Check clientCertificate and clientKey."))
        }
        withExtendedLifetime(server) {}
    }

    @Test("a certificate and a key that are no pair are found without a request, and which file is at fault")
    func identity() async throws {
        let client = try await authority.client()
        let other = try await authority.client("other")
        let encrypted = try await authority.encrypted(client.key)
        let fault = { (certificate: String, key: String) in
            TransportConfiguration(userAgent: "test", clientCertificate: certificate, clientKey: key).identityFault
        }

        #expect(fault(client.certificate, client.key) == nil)
        for key in [other.key, encrypted, client.certificate] {
            let found = try #require(fault(client.certificate, key))
            #expect(found.option == "clientKey")
            #expect(found.sentence(naming: "it").hasPrefix("'it' cannot be used with \(client.certificate). \(key): "))
        }
        for certificate in [client.key, "/dev/null"] {
            let found = try #require(fault(certificate, client.key))
            #expect(found.option == "clientCertificate")
            #expect(found.sentence(naming: "it").hasPrefix("'it' cannot be used. \(certificate): "))
        }
    }

    @Test("a server without TLS is no https server")
    func plainServer() async throws {
        let server = try LoopbackServer(greet: { _ in .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), then: .close) })
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post(server.url.replacing("http:", with: "https:")))

        #expect(error.kind == .tls)
    }

    @Test("a redirect from http to https on the same host is followed, whatever the port")
    func upgrade() async throws {
        let (server, url) = try await authority.server()
        let plain = try LoopbackServer(script: [.redirect(301, to: url + "/x")])
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }

        #expect(try await loop.answer(to: HTTPRequest(method: .get, url: plain.url)).status == 200)
        withExtendedLifetime(server) {}
    }

    @Test(
        "requests made at once share one HTTP/2 connection where the server offers it",
        .enabled(if: ChildProcess.exists("node")))
    func http2() async throws {
        let (server, url) = try await authority.http2Server()
        let bundle = authority.bundle
        let loop = try CurlLoop { $0.caBundle = bundle }
        let bodies = Recorder<String>()

        for number in 0..<8 {
            loop.submit(.post(url, body: "\(number)")) { result in
                bodies.record((try? result.get().text) ?? "\(result)")
            }
        }

        let all = try await bodies.values(atLeast: 8)
        #expect(all.sorted() == (0..<8).map { "2.0 \($0) 1" })
        withExtendedLifetime(server) {}
    }
}
