import JSONRPC
import Synchronization
import TrackerJSON

/// Takes note of calls and keeps their replies, so that a test says when what is answered.
final class HeldResponder: Responder {
    /// What a responder was told.
    enum Event: Hashable, Sendable {
        case call(String)
        case willShutDown
        case shutdown
    }

    private struct State: Sendable {
        var events: [Event] = []
        var replies: [String: Reply] = [:]
        var completion: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let note: @Sendable (Event) -> Void
    private let completesShutdown: Bool

    /// - Parameters:
    ///   - completesShutdown: Whether to complete the shutdown.
    ///   - note: Is called with each event, on the reading thread.
    init(completesShutdown: Bool = true, note: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.completesShutdown = completesShutdown
        self.note = note
    }

    var events: [Event] { state.withLock(\.events) }

    var calls: [String] {
        events.compactMap { event in
            guard case .call(let name) = event else { return nil }
            return name
        }
    }

    /// Answers the call of a method, which must have come.
    func answer(_ method: String, _ result: JSONText = .emptyObject) {
        reply(method)?.succeed(with: result)
    }

    /// The reply to the call of a method, which is kept no longer.
    func reply(_ method: String) -> Reply? {
        state.withLock { $0.replies.removeValue(forKey: method) }
    }

    /// Has nothing left to do.
    func completeShutdown() {
        let completion = state.withLock { $0.completion }
        completion?()
    }

    func respond(to request: Request, reply: Reply) {
        if request.method.hasPrefix("late") { reply.mayBeLate() }
        state.withLock { state in
            state.events.append(.call(request.method))
            state.replies[request.method] = reply
        }
        note(.call(request.method))
    }

    func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool) { add(.willShutDown) }

    func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.completion = completion }
        add(.shutdown)
        if completesShutdown { completion() }
    }

    private func add(_ event: Event) {
        state.withLock { $0.events.append(event) }
        note(event)
    }
}

/// A closure that answers.
struct ClosureResponder: Responder {
    let respond: @Sendable (Request, Reply) -> Void

    func respond(to request: Request, reply: Reply) { respond(request, reply) }
}
