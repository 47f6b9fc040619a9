import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

/// What a client that sends batches does with an answer to one of A, B and C, with D behind it.
struct BatchFault: Sendable, CustomTestStringConvertible {
    /// Which requests are answered so.
    enum Extent: Sendable {
        case first(Int)
        /// Every batch that B is in.
        case withB
        /// Every batch of more than one event.
        case many
    }

    let testDescription: String
    let answer: LoopbackAnswer
    var extent = Extent.first(1)
    /// The batches as they come in the end, with repeats.
    var batches = ["ABC", "ABC", "D"]
    var dropped: JSONValue = [:]
    /// Whether what follows must wait.
    var isRetried = false
    /// Whether it is a connection's fault, which libcurl itself mends on one that was used before.
    var isCut = false
    /// How things stand in the end.
    var lifecycle = "ready"

    static func delivered(_ status: Int) -> BatchFault {
        BatchFault(
            testDescription: "\(status)", answer: .status(status, body: status == 204 ? "" : "{}"),
            batches: ["ABC", "D"])
    }

    static func retried(_ name: String, _ answer: LoopbackAnswer) -> BatchFault {
        BatchFault(testDescription: name, answer: answer, isRetried: true)
    }

    /// Sent again at once: by libcurl, since a connection that was used before may have died unseen, or where a
    /// redirect leads.
    static func repeated(_ name: String, _ answer: LoopbackAnswer) -> BatchFault {
        BatchFault(testDescription: name, answer: answer)
    }

    static func cut(_ name: String, _ answer: LoopbackAnswer) -> BatchFault {
        BatchFault(testDescription: name, answer: answer, isCut: true)
    }

    static func twice(_ name: String, _ answer: LoopbackAnswer) -> BatchFault {
        BatchFault(
            testDescription: name + ", twice", answer: answer, extent: .first(2), batches: ["ABC", "ABC", "ABC", "D"],
            isRetried: true)
    }

    static func refused(_ status: Int) -> BatchFault {
        BatchFault(
            testDescription: "\(status)", answer: .status(status), extent: .withB,
            batches: ["ABC", "A", "BC", "B", "C", "D"], dropped: .object(["rejected(\(status))": 1]))
    }

    /// Halved, and grown again only after more successes than there are events here.
    static let tooLarge = BatchFault(
        testDescription: "413", answer: .status(413), extent: .withB, batches: ["ABC", "A", "B", "C", "D"],
        dropped: ["tooLarge": 1])

    static func disabled(_ status: Int) -> BatchFault {
        BatchFault(
            testDescription: "\(status), disabling", answer: .status(status), batches: ["ABC"],
            dropped: ["disabled": 4],
            lifecycle: "disabled")
    }

    static func halted(_ status: Int) -> BatchFault {
        BatchFault(testDescription: "\(status)", answer: .status(status), batches: ["ABC"], lifecycle: "halted")
    }

    /// Where the clients agree.
    static let common: [BatchFault] =
        [200, 201, 202, 204, 299].map(delivered)
        + [500, 501, 502, 503, 504, 507, 599, 408, 429, 700].map { retried("\($0)", .status($0)) }
        + [304, 400, 402, 405, 406, 409, 415, 422, 451].map { refused($0) } + [tooLarge]
        + [
            BatchFault(
                testDescription: "413 to more than one", answer: .status(413), extent: .many,
                batches: ["ABC", "A", "B", "C", "D"]),
            cut("dropped after reading", .nothing(then: .close)),
            cut("reset after reading", .nothing(then: .reset)),
            twice("dropped after reading", .nothing(then: .close)),
            twice("reset after reading", .nothing(then: .reset)),
            retried("half a header", .text("HTTP/1.1 200 OK\r\nContent-Le", then: .close)),
            retried("no HTTP", .text("220 mail.example ESMTP\r\n\r\n", then: .close)),
            retried("a redirect without a target", .status(302)), retried("a choice", .status(300)),
            retried("a redirect elsewhere", .redirect(to: "http://localhost:9/elsewhere")),
            retried("a redirect to another scheme", .redirect(to: "ftp://127.0.0.1/x")),
        ] + [301, 302, 303, 307, 308].map { repeated("\($0) within the origin", .redirect($0, to: "/moved")) }

    /// What is said to a batch that is not the first `number` of all.
    func answer(to batch: String, number: Int) -> LoopbackAnswer {
        let applies =
            switch extent {
            case .first(let count): number < count
            case .withB: batch.contains("B")
            case .many: batch.count > 1
            }
        return applies ? answer : .status(200)
    }
}

/// Where the breaker stands when a batch is sent.
enum Circuit: CaseIterable, Sendable {
    case closed
    /// One request has failed before, and the batch is the probe.
    case halfOpen

    /// How many requests fail before.
    var failures: Int { self == .closed ? 0 : 1 }

    /// How a flush ends that has to wait.
    var wait: StopReason { self == .closed ? .retryWait : .breakerOpen }
}

/// A server that gives the answers of a fault to the batches that follow the first request, of the event 0.
///
/// It holds the first batch back until a test opens the gate.
final class BatchFaultServer: Sendable {
    /// What has come, by the names of the events, with the key of the request.
    let batches = Recorder<(names: String, key: String?)>()
    let gate: Gate
    private let fault: BatchFault
    private let circuit: Circuit
    private let name: @Sendable (JSONValue) -> String?

    /// - Parameter name: How an event is called.
    init(_ fault: BatchFault, _ circuit: Circuit, name: @escaping @Sendable (JSONValue) -> String?) throws {
        gate = try Gate()
        self.fault = fault
        self.circuit = circuit
        self.name = name
    }

    func answer(_ request: LoopbackRequest) -> LoopbackAnswer {
        let names = request.events.compactMap(name).joined()
        guard names != "0" else { return .status(200) }
        let number = batches.all.count
        batches.record((names, request.header("Idempotency-Key")))
        let answer =
            number < circuit.failures ? .status(503) : fault.answer(to: names, number: number - circuit.failures)
        return number == 0 ? .gated(gate, answer) : answer
    }

    /// Whether each batch has come under a key of its own, and under no other.
    var hasOneKeyEach: Bool {
        let (names, keys) = (Set(batches.all.map(\.names)), Set(batches.all.map(\.key)))
        return keys.count == names.count && Set(batches.all.map { "\($0.names) \($0.key ?? "")" }).count == names.count
    }
}
