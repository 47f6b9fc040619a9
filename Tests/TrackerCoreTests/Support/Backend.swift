import Synchronization
import TestSupport
import TrackerCore
import TrackerModels

/// A server that takes events and answers as a test says, by status.
final class Backend: Sendable {
    /// What it answers to a request.
    typealias Rule = @Sendable (LoopbackRequest) -> LoopbackAnswer

    private let rule: RuleBox
    let server: LoopbackServer

    private final class RuleBox: Sendable {
        // In a struct: a closure that is a mutex's whole value is wrapped once more by each look at it.
        struct State { var rule: Rule }

        let state: Mutex<State>
        init(_ rule: @escaping Rule) { state = Mutex(State(rule: rule)) }
    }

    init(_ rule: @escaping Rule = { _ in .status(200) }) throws {
        let box = RuleBox(rule)
        self.rule = box
        server = try LoopbackServer(answer: { request in box.state.withLock { $0.rule }(request) })
    }

    /// A server that answers with these statuses in turn, and then with the last of them for ever.
    convenience init(statuses: [Int]) throws {
        try self.init { .status(statuses[min($0.number, statuses.count - 1)]) }
    }

    var url: String { server.url }

    /// Answers otherwise from now on.
    func answer(_ rule: @escaping Rule) { self.rule.state.withLock { $0.rule = rule } }

    /// Takes everything from now on.
    ///
    /// - Returns: What it takes, without what was refused before.
    func takeEverything() -> TakenRequests {
        let taken = TakenRequests()
        answer { request in
            taken.requests.record(request)
            return .status(200)
        }
        return taken
    }

    /// Every event so far, in the order in which they came.
    var events: [JSONValue] { server.requests.flatMap(\.events) }
}

/// What a server has taken.
struct TakenRequests: Sendable {
    let requests = Recorder<LoopbackRequest>()

    /// The events in their order, each where it came first: what was on the wire when a program ended comes again.
    var events: [JSONValue] {
        var seen: Set<String> = []
        return requests.all.flatMap(\.events).filter { seen.insert($0["messageId"]?.stringValue ?? "\($0)").inserted }
    }
}

extension LoopbackRequest {
    /// The body as a tree; `null` if it is no JSON.
    var json: JSONValue { (try? JSONText(validating: text)).map { JSONValue($0) } ?? .null }

    /// The events it carries: the members of a batch, or the elements of an array.
    var events: [JSONValue] { (json["batch"] ?? json).arrayValue ?? [] }
}

/// Keeps what is logged, without the names of the clients.
struct RecordingLog: TrackerLog {
    let lines = Recorder<String>()

    func log(_ level: LogLevel, _ message: String) { lines.record("\(level.rawValue): \(message)") }

    func log(_ entry: LogEntry) { log(entry.level, entry.message) }
}
