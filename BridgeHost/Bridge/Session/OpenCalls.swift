import JSONRPC
import Synchronization

/// The calls that are not answered yet, so that the end can answer them.
final class OpenCalls: Sendable {
    /// One call among those that are open.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
        fileprivate let isLate: Bool
    }

    private struct State {
        var replies: [Ticket: Reply] = [:]
        var next = 0
        var lateCalls = 0
        var lateCallsEnded: (@Sendable () -> Void)?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Whether no call is answered any more but with an error.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Takes note of a call.
    ///
    /// - Parameter isLate: Whether its answer depends on the network.
    func add(_ reply: Reply, isLate: Bool) -> Ticket {
        state.withLock { state in
            let ticket = Ticket(number: state.next, isLate: isLate)
            state.next += 1
            state.replies[ticket] = reply
            if isLate { state.lateCalls += 1 }
            return ticket
        }
    }

    /// Takes note that a call is about to be answered.
    func remove(_ ticket: Ticket) {
        let ended = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.replies.removeValue(forKey: ticket) != nil, ticket.isLate else { return nil }
            state.lateCalls -= 1
            guard state.lateCalls == 0 else { return nil }
            defer { state.lateCallsEnded = nil }
            return state.lateCallsEnded
        }
        ended?()
    }

    /// Does something once no call is open whose answer depends on the network; at once, if none is.
    func whenNoneIsLate(_ action: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.lateCalls > 0 { state.lateCallsEnded = action }
            return state.lateCalls == 0
        }
        if isNow { action() }
    }

    /// Answers every open call with an error, and takes no more.
    func close(with error: RPCError) {
        let replies = state.withLock { state in
            state.isClosed = true
            defer { state.replies = [:] }
            return state.replies.sorted { $0.key.number < $1.key.number }.map(\.value)
        }
        for reply in replies { reply.fail(with: error) }
    }
}
