import JSONRPC
import Synchronization

/// Keeps queries in their place among the calls that change their answers.
///
/// A query waits until the changes before it are on disk. A later change, and everything after that change, waits here
/// until the query is answered. All other calls pass at once.
final class CallOrder: Sendable {
    /// A call that was read.
    struct Call: Sendable {
        let request: Request
        let reply: Reply

        fileprivate var changesAnswers: Bool { BridgeMethods.changingAnswers.contains(request.method) }

        fileprivate func perform(on session: HostSession) {
            BridgeMethods.table.call(request, on: session, reply: reply)
        }
    }

    private struct State {
        var openQuestions = 0
        /// The calls that wait, and how many of them have passed.
        var held: [Call] = []
        var taken = 0
        /// Whether waiting calls are being carried out.
        var isReleasing = false
        /// What every further call is answered with, once the end has come.
        var closing: RPCError?

        /// The next call that need not wait any longer; `nil` if there is none.
        mutating func next() -> Call? {
            guard taken < held.count, openQuestions == 0 || !held[taken].changesAnswers else { return nil }
            taken += 1
            let call = held[taken - 1]
            if taken * 2 > held.count {
                held.removeFirst(taken)
                taken = 0
            }
            return call
        }
    }

    private let state = Mutex(State())

    /// Carries a call out, now or when its turn comes.
    func take(_ call: Call, on session: HostSession) {
        let (isFree, closing) = state.withLock { state in
            let mustWait = state.isReleasing || !state.held.isEmpty || state.openQuestions > 0 && call.changesAnswers
            if mustWait, state.closing == nil { state.held.append(call) }
            return (!mustWait, state.closing)
        }
        if let closing { return call.reply.fail(with: closing) }
        if isFree { call.perform(on: session) }
    }

    /// Records a query that is not answered yet.
    func beginQuestion() {
        state.withLock { $0.openQuestions += 1 }
    }

    /// Records that a query is answered, and carries out the calls that waited for it.
    func endQuestion(on session: HostSession) {
        let releases = state.withLock { state in
            state.openQuestions -= 1
            guard !state.isReleasing, !state.held.isEmpty else { return false }
            state.isReleasing = true
            return true
        }
        guard releases else { return }
        while let call = next() { call.perform(on: session) }
    }

    /// Answers every call that still waits, and every later one, with an error.
    func close(with error: RPCError) {
        let waiting = state.withLock { state in
            state.closing = error
            defer { (state.held, state.taken) = ([], 0) }
            return state.held[state.taken...]
        }
        for call in waiting { call.reply.fail(with: error) }
    }

    private func next() -> Call? {
        state.withLock { state in
            let call = state.next()
            if call == nil { state.isReleasing = false }
            return call
        }
    }
}
