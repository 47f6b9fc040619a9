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
        /// Whether the end has come, for every further call too.
        var isClosed = false

        mutating func add(_ reply: Reply, isLate: Bool) -> Ticket {
            let place = freePlaces.popLast() ?? replies.count
            if place == replies.count { replies.append(nil) }
            // What is answered already keeps nobody waiting.
            let isLate = isLate && !isClosed
            let ticket = Ticket(place: place, number: next, isLate: isLate)
            replies[place] = (number: next, reply: reply)
            next += 1
            if isLate { lateCalls += 1 }
            return ticket
        }
    }

    private let state = Mutex(State())
    private let isCutOff = Atomic(false)
    private let givenUp = Atomic(false)

    /// Records an open call.
    ///
    /// - Parameter isLate: Whether its answer depends on the network.
    func add(_ reply: Reply, isLate: Bool) -> Ticket {
        let (ticket, isClosed) = state.withLock { ($0.add(reply, isLate: isLate), $0.isClosed) }
        if isClosed { cut(reply) }
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

    /// Records that the agent ends, which the client did not ask for.
    ///
    /// What the end cuts off stays unanswered from now on: the client makes it again at the next agent, as after a crash.
    func cutOff() { isCutOff.store(true, ordering: .releasing) }

    /// Whether a call was left unanswered.
    var hasGivenUp: Bool { givenUp.load(ordering: .acquiring) }

    /// Ends a call that the disk has not taken.
    func cut(_ reply: Reply) { answer(reply, isCut: true) { reply.fail(with: .notTaken) } }

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - isCut: Whether the answer is that the end was first.
    ///   - answer: Gives it, unless the call is left to the next agent.
    func answer(_ reply: Reply, isCut: Bool, _ answer: () -> Void) {
        guard isCut, isCutOff.load(ordering: .acquiring) else { return answer() }
        givenUp.store(true, ordering: .releasing)
        reply.giveUp(.notTaken)
    }

    /// Ends every open call, and every later one. None is open then.
    func close() {
        let (replies, lateCallsEnded) = state.withLock { state in
            state.isClosed = true
            defer {
                state.freePlaces = Array(state.replies.indices)
                for place in state.replies.indices { state.replies[place] = nil }
                (state.lateCalls, state.lateCallsEnded) = (0, nil)
            }
            let open = state.replies.compactMap(\.self).sorted { $0.number < $1.number }
            return (open.map(\.reply), state.lateCallsEnded)
        }
        for reply in replies { cut(reply) }
        lateCallsEnded?()
    }
}
