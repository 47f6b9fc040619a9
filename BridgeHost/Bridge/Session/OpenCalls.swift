import JSONRPC
import Synchronization
import TrackerModels

/// The calls that are not answered yet, so that the end can answer them.
final class OpenCalls: Sendable {
    /// One call among those that are open.
    struct Ticket: Hashable, Sendable {
        fileprivate let place: Int
        fileprivate let number: Int
        fileprivate let isLate: Bool

        private static let numberBits = 32
        fileprivate static let mostNumber = 1 << numberBits - 1

        fileprivate init(place: Int, number: Int, isLate: Bool) {
            self.place = place
            self.number = number
            self.isLate = isLate
        }

        fileprivate init(ofCaller call: Int) {
            self.init(place: call >> Self.numberBits, number: call & Self.mostNumber, isLate: false)
        }

        /// The number that a caller has of it.
        fileprivate var ofCaller: Int { place << Self.numberBits | number }
    }

    private enum Call {
        case reply(Reply)
        /// One of the client's, which is answered over the line.
        case taken(OpenAnswer)
    }

    private struct State {
        /// How many places are kept while no call is open.
        private static let usualPlaces = 256

        /// The open calls, each at its place; a place that is free holds none.
        var calls: [(number: Int, call: Call)?] = []
        var freePlaces: [Int] = []
        var next = 0
        var lateCalls = 0
        var lateCallsEnded: (@Sendable () -> Void)?
        /// Whether the end has come, for every further call too.
        var isClosed = false
        /// The client's connection, once a call of it was taken over.
        var line: AnswerLine?

        mutating func add(_ call: Call, isLate: Bool) -> Ticket {
            let place = freePlaces.popLast() ?? calls.count
            if place == calls.count { calls.append(nil) }
            // What is answered already keeps nobody waiting.
            let isLate = isLate && !isClosed
            let ticket = Ticket(place: place, number: next, isLate: isLate)
            calls[place] = (number: next, call: call)
            // It must fit into a caller's number beside the place.
            next = (next + 1) & Ticket.mostNumber
            if isLate { lateCalls += 1 }
            return ticket
        }

        /// Removes a call, if it is open still.
        mutating func take(_ ticket: Ticket) -> Call? {
            guard ticket.place < calls.count, let open = calls[ticket.place], open.number == ticket.number else {
                return nil
            }
            calls[ticket.place] = nil
            freePlaces.append(ticket.place)
            // A client that has called much at once may be idle from now on.
            if freePlaces.count == calls.count, calls.count > Self.usualPlaces { (calls, freePlaces) = ([], []) }
            return open.call
        }

        /// The answer of a call that was taken over, if it is open still.
        func answer(of call: Int) -> OpenAnswer? {
            let ticket = Ticket(ofCaller: call)
            guard ticket.place < calls.count, let open = calls[ticket.place], open.number == ticket.number,
                case .taken(let answer) = open.call
            else { return nil }
            return answer
        }

        /// Removes a call that was taken over, if it is open still.
        mutating func takeAnswer(_ call: Int) -> OpenAnswer? {
            if case .taken(let answer)? = take(Ticket(ofCaller: call)) { answer } else { nil }
        }
    }

    private let state = Mutex(State())
    private let isCutOff = Atomic(false)
    private let givenUp = Atomic(false)

    /// Records an open call.
    ///
    /// - Parameter isLate: Whether its answer depends on the network.
    func add(_ reply: Reply, isLate: Bool) -> Ticket {
        let (ticket, isClosed) = state.withLock { ($0.add(.reply(reply), isLate: isLate), $0.isClosed) }
        if isClosed { cut(reply) }
        return ticket
    }

    /// Records a tracking call.
    ///
    /// - Returns: Who hears what becomes of it. Use it only after the last statement that can throw.
    func caller(_ reply: Reply) -> Caller {
        let taken = state.withLock { state in
            // Those who come after the end are answered at once, below.
            state.isClosed ? nil : reply.takeOver(&state.line).map { state.add(.taken($0), isLate: false) }
        }
        if let taken { return Caller(self, call: taken.ofCaller) }
        let ticket = add(reply, isLate: false)
        return Caller { [self] answer in
            self.answer(reply, isCut: answer.isCut) { reply.succeed { answer.write(to: &$0) } }
            remove(ticket)
        }
    }

    /// Records that a call is answered, once.
    func remove(_ ticket: Ticket) {
        let ended = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.take(ticket) != nil, ticket.isLate else { return nil }
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

    /// - Parameters:
    ///   - isCut: Whether the answer is that the end was first.
    ///   - answer: Answers the call, unless it is left to the next agent.
    func answer(_ reply: Reply, isCut: Bool, _ answer: () -> Void) {
        if isCut, givesUp() { reply.giveUp(.notTaken) } else { answer() }
    }

    /// Whether what the end cuts off stays unanswered. If so, a call does.
    private func givesUp() -> Bool {
        guard isCutOff.load(ordering: .acquiring) else { return false }
        givenUp.store(true, ordering: .releasing)
        return true
    }

    /// Ends every open call, and every later one. None is open then.
    func close() {
        let (calls, line, lateCallsEnded) = state.withLock { state in
            state.isClosed = true
            defer {
                state.freePlaces = Array(state.calls.indices)
                for place in state.calls.indices { state.calls[place] = nil }
                (state.lateCalls, state.lateCallsEnded) = (0, nil)
            }
            let open = state.calls.compactMap(\.self).sorted { $0.number < $1.number }
            return (open.map(\.call), state.line, state.lateCallsEnded)
        }
        for call in calls {
            switch call {
            case .reply(let reply): cut(reply)
            case .taken(let answer):
                if givesUp() { line?.giveUp(answer) } else { line?.fail(answer, with: .notTaken) }
            }
        }
        lateCallsEnded?()
    }
}

/// The calls that were taken over are answered here.
extension OpenCalls: CallReceiver {
    func receive(_ answer: CallAnswer, of call: Int) {
        let (open, line) = state.withLock { ($0.takeAnswer(call), $0.line) }
        guard let open, let line else { return }
        if answer.isCut, givesUp() { line.giveUp(open) } else { line.succeed(open) { answer.write(to: &$0) } }
    }

    func promise(_ id: MessageID, of call: Int, in bytes: inout [UInt8]) {
        let (open, line) = state.withLock { ($0.answer(of: call), $0.line) }
        guard let open, let line else { return }
        line.append(open, to: &bytes) { CallAnswer.success(.queued(id)).write(to: &$0) }
    }

    func keep(_ promises: ArraySlice<UInt8>, of calls: [(number: Int, end: Int)]) {
        var (open, answers) = (OpenAnswers(), promises)
        let line = state.withLock { state in
            var start = promises.startIndex
            for index in calls.indices {
                let call = calls[index]
                if let answer = state.takeAnswer(call.number) {
                    open.add(answer)
                    // After one that was cut off the others move together.
                    if open.count <= index { answers += promises[start..<call.end] }
                } else if open.count == index {
                    answers = promises[..<start]
                }
                start = call.end
            }
            return state.line
        }
        if open.count > 0 { line?.send(answers, to: open) }
    }
}
