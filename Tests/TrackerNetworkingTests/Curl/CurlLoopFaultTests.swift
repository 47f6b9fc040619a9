import TestSupport
import Testing
import TrackerNetworking

@Suite("CurlLoop: faults")
struct CurlLoopFaultTests {
    /// A server's misbehaviour, and the error it must come out as.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kinds: Set<TransportError.Kind>
        var answer = LoopbackAnswer.status(200)
        var greeting = LoopbackGreeting.serve
        var timeout = Duration.seconds(10)

        init(_ name: String, _ kinds: TransportError.Kind..., answer: LoopbackAnswer) {
            testDescription = name
            self.kinds = Set(kinds)
            self.answer = answer
        }

        init(_ name: String, _ kinds: TransportError.Kind..., greeting: LoopbackGreeting) {
            testDescription = name
            self.kinds = Set(kinds)
            self.greeting = greeting
        }

        func within(_ timeout: Duration) -> Fault {
            var copy = self
            copy.timeout = timeout
            return copy
        }
    }

    static let faults: [Fault] = [
        Fault("closes before it reads", .emptyReply, .receiveFailed, .sendFailed, greeting: .send([], then: .close)),
        Fault("resets at once", .receiveFailed, .sendFailed, .connect, greeting: .send([], then: .reset)),
        Fault("reads nothing and says nothing", .timeout, greeting: .send([], then: .stall)).within(.milliseconds(50)),
        Fault("closes after reading", .emptyReply, answer: .nothing(then: .close)),
        Fault("resets after reading", .receiveFailed, answer: .nothing(then: .reset)),
        Fault("stalls after reading", .timeout, answer: .nothing(then: .stall)).within(.milliseconds(50)),
        Fault("stalls in the status line", .timeout, answer: .text("HTTP/1.1 20", then: .stall))
            .within(.milliseconds(50)),
        Fault("stalls in the headers", .timeout, answer: .text("HTTP/1.1 200 OK\r\nContent-Le", then: .stall))
            .within(.milliseconds(50)),
        Fault(
            "closes in the headers", .receiveFailed, answer: .text("HTTP/1.1 200 OK\r\nContent-Le", then: .close)),
        Fault("closes after the status line", .receiveFailed, answer: .text("HTTP/1.1 200 OK\r\n", then: .close)),
        Fault("announces a length below zero", .badResponse, answer: .lying(announced: -1, sent: 0)),
        Fault("speaks another protocol", .badResponse, answer: .text("SSH-2.0-OpenSSH_9.2\r\n", then: .close)),
        Fault("answers as HTTP/0.9 did", .badResponse, answer: .text("<html>hello</html>", then: .close)),
        Fault("gives a status of no number", .badResponse, answer: .text("HTTP/1.1 abc OK\r\n\r\n", then: .close)),
        Fault(
            "never ends its headers", .responseTooLarge,
            answer: .endless(Array("HTTP/1.1 200 OK\r\n".utf8), repeating: Array("X-More: and more\r\n".utf8))),
    ]

    @Test("a misbehaving server's answer is a typed error that names the host", arguments: faults)
    func typedErrors(fault: Fault) async throws {
        let server = try LoopbackServer(answer: { _ in fault.answer }, greet: { _ in fault.greeting })
        let loop = try CurlLoop()
        var request = HTTPRequest.post(server.url + "/secret-path", headers: ["X-API-Key": "secret-key"])
        request.timeout = fault.timeout

        let error = try await loop.failure(of: request)

        #expect(fault.kinds.contains(error.kind), "\(error.kind): \(error)")
        #expect(error.host == "127.0.0.1:\(server.port)")
        #expect(error.message.contains(error.host))
        #expect(!error.message.contains("secret"))
    }

    /// An answer with a whole header, whose body does not come in to its end.
    struct CutAnswer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: LoopbackAnswer
        var timeout = Duration.seconds(10)
    }

    static func cut(_ status: Int) -> [CutAnswer] {
        let head = "HTTP/1.1 \(status) Reason\r\n"
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
        let endless = Array((head + "\r\n").utf8)
        // The head must have come by then.
        let short = Duration.seconds(10)
        return [
            CutAnswer(
                testDescription: "stalls", answer: .text(head + "Content-Length: 9\r\n\r\nx", then: .stall),
                timeout: short),
            CutAnswer(testDescription: "closes", answer: .text(head + "Content-Length: 9\r\n\r\nx", then: .close)),
            CutAnswer(testDescription: "resets", answer: .text(head + "Content-Length: 9\r\n\r\nx", then: .reset)),
            CutAnswer(testDescription: "closes in a chunk", answer: .text(chunked + "5\r\nab", then: .close)),
            CutAnswer(testDescription: "announces nonsense", answer: .text(chunked + "xyz\r\n", then: .close)),
            CutAnswer(
                testDescription: "is larger than is read",
                answer: .endless(endless, repeating: Array(repeating: 0x78, count: 4096))),
            CutAnswer(
                testDescription: "announces more than can be",
                answer: .text(head + "Content-Length: 999999999999\r\n\r\n", then: .close)),
            CutAnswer(
                testDescription: "announces two lengths",
                answer: .text(head + "Content-Length: 1\r\nContent-Length: 9\r\n\r\nabc", then: .close)),
            CutAnswer(
                testDescription: "drips", answer: .endless(endless, repeating: [0x78], pause: .milliseconds(2)),
                timeout: short),
            CutAnswer(
                testDescription: "is no gzip",
                answer: .text(head + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz", then: .close)),
            CutAnswer(
                testDescription: "has an unknown encoding",
                answer: .text(head + "Content-Encoding: sesame\r\nContent-Length: 3\r\n\r\nxyz", then: .close)),
        ]
    }

    @Test(
        "an answer whose body does not come in whole is the server's all the same, with an empty body",
        arguments: cut(200) + cut(422))
    func cutBodies(cut: CutAnswer) async throws {
        let server = try LoopbackServer(script: [cut.answer, .status(204)])
        let loop = try CurlLoop()
        var request = HTTPRequest.post(server.url)
        request.timeout = cut.timeout

        let response = try await loop.answer(to: request)
        let next = try await loop.answer(to: .post(server.url))

        #expect([200, 422].contains(response.status))
        #expect(!response.isBodyWhole)
        #expect(response.body.isEmpty)
        #expect(next.status == 204)
        #expect(next.isBodyWhole)
    }

    @Test("an interim answer is none")
    func interim() async throws {
        let server = try LoopbackServer(script: [.text("HTTP/1.1 103 Early Hints\r\n\r\n", then: .close)])
        let loop = try CurlLoop()

        #expect(try await loop.failure(of: .post(server.url)).kind != .timeout)
    }

    @Test("a URL that no server takes is an invalid request, and nothing is sent", arguments: [70_000, 9_000_000])
    func longURL(length: Int) async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post(server.url + "/" + String(repeating: "u", count: length)))

        #expect(error.kind == .invalidRequest)
        #expect(error.message.utf8.count < 500)
        #expect(server.connections == 0)
    }

    @Test("the loop goes on after every fault")
    func recovers() async throws {
        let loop = try CurlLoop()
        for fault in Self.faults {
            let server = try LoopbackServer(
                answer: { $0.path == "/good" ? .status(200) : fault.answer },
                greet: { $0 == 0 ? fault.greeting : .serve })
            var request = HTTPRequest.post(server.url)
            request.timeout = fault.timeout
            _ = try await loop.outcome(of: request)

            #expect(try await loop.answer(to: .post(server.url + "/good")).status == 200, "\(fault.testDescription)")
        }
    }

    @Test("a body that is longer than announced is cut there, and the connection is not used again")
    func tooLongBody() async throws {
        let server = try LoopbackServer(script: [.lying(announced: 3, sent: 10, then: .keepAlive), .status(200)])
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url)).text == "xxx")
        #expect(try await loop.answer(to: .post(server.url)).text == "")
    }

    @Test("a closed port is a failed connection")
    func refused() async throws {
        let server = try LoopbackServer()
        server.stop()
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post(server.url))

        #expect(error.kind == .connect)
        #expect(error.host == "127.0.0.1:\(server.port)")
    }

    @Test("a name without an address is a DNS error")
    func unknownHost() async throws {
        // A label this long is no name: the resolver says so without asking anyone.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post("https://\(host)/x"))

        #expect(error.kind == .dns)
        #expect(error.host == host)
        #expect(error.message.contains(host))
    }

    @Test("a proxy's name without an address is a DNS error too, without the proxy's password")
    func unknownProxy() async throws {
        let host = String(repeating: "a", count: 64) + ".invalid"
        let loop = try CurlLoop { $0.proxy = "http://user:hunter2@\(host):3128" }

        let error = try await loop.failure(of: .post("http://api.example.com/x"))

        #expect(error.kind == .dns)
        #expect(error.message.contains("proxy"))
        #expect(!error.message.contains("hunter2"))
    }

    @Test("a proxy gets the request in its place")
    func proxy() async throws {
        let proxy = try LoopbackServer()
        let loop = try CurlLoop { $0.proxy = proxy.url }

        let response = try await loop.answer(to: .post("http://api.example.com/x"))

        #expect(response.status == 200)
        #expect(proxy.requests.map(\.target) == ["http://api.example.com/x"])
    }

    @Test("a request without any time left is not sent", arguments: [Duration.zero, .seconds(-1)])
    func noTime(timeout: Duration) async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        var request = HTTPRequest.post(server.url)
        request.timeout = timeout

        #expect(try await loop.failure(of: request).kind == .timeout)
        #expect(server.connections == 0)
    }

    @Test("a stalled request holds up no other")
    func independence() async throws {
        let server = try LoopbackServer { $0.path == "/stall" ? .nothing(then: .stall) : .status(200) }
        let loop = try CurlLoop()
        let stalled = Recorder<Result<HTTPResponse, TransportError>>()
        loop.submit(.post(server.url + "/stall")) { stalled.record($0) }
        try await server.requests(atLeast: 1)

        #expect(try await loop.answer(to: .post(server.url + "/other")).status == 200)
        #expect(stalled.all.isEmpty)
    }
}
