import JSONRPC
import Synchronization

/// The calls that are not answered yet, so that the end can answer them.
final class OpenCalls: Sendable {
    /// One call among those that are open.
    struct Ticket: Hashable, Sendable {
        fileprivate let place: Int
        fileprivate let number: Int
        fileprivate let isLate: Bool
    }

    private struct State {
        /// The open calls, each at its place; a place that is free holds none.
        var replies: [(number: Int, reply: Reply)?] = []
        var freePlaces: [Int] = []
        var next = 0
        var lateCalls = 0
        var lateCallsEnded: (@Sendable () -> Void)?
        /// What every further call is answered with, once the end has come.
        var closing: RPCError?

        mutating func add(_ reply: Reply, isLate: Bool) -> Ticket {
            let place = freePlaces.popLast() ?? replies.count
            if place == replies.count { replies.append(nil) }
            // What is answered already keeps nobody waiting.
            let isLate = isLate && closing == nil
            let ticket = Ticket(place: place, number: next, isLate: isLate)
            replies[place] = (number: next, reply: reply)
            next += 1
            if isLate { lateCalls += 1 }
            return ticket
        }
    }

    private let state = Mutex(State())

    /// Records an open call.
    ///
    /// - Parameter isLate: Whether its answer depends on the network.
    func add(_ reply: Reply, isLate: Bool) -> Ticket {
        let (ticket, closing) = state.withLock { ($0.add(reply, isLate: isLate), $0.closing) }
        if let closing { reply.fail(with: closing) }
        return ticket
    }

    /// Records that a call is answered, once.
    func remove(_ ticket: Ticket) {
        let ended = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.replies[ticket.place]?.number == ticket.number else { return nil }
            state.replies[ticket.place] = nil
            state.freePlaces.append(ticket.place)
            guard ticket.isLate else { return nil }
            state.lateCalls -= 1
            guard state.lateCalls == 0 else { return nil }
            defer { state.lateCallsEnded = nil }
            return state.lateCallsEnded
        }
        ended?()
    }

    /// Runs an action once no call is open whose answer depends on the network; immediately, if none is.
    func whenNoneIsLate(_ action: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.lateCalls > 0 { state.lateCallsEnded = action }
            return state.lateCalls == 0
        }
        if isNow { action() }
    }

    /// Answers every open call, and every later one, with an error. None is open then.
    func close(with error: RPCError) {
        let (replies, lateCallsEnded) = state.withLock { state in
            state.closing = error
            defer {
                state.freePlaces = Array(state.replies.indices)
                for place in state.replies.indices { state.replies[place] = nil }
                (state.lateCalls, state.lateCallsEnded) = (0, nil)
            }
            let open = state.replies.compactMap(\.self).sorted { $0.number < $1.number }
            return (open.map(\.reply), state.lateCallsEnded)
        }
        for reply in replies { reply.fail(with: error) }
        lateCallsEnded?()
    }
}
