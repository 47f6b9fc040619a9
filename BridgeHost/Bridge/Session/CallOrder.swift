import JSONRPC
import Synchronization

/// What a call changes of what queries answer, the least first.
enum CallEffect: Comparable, Sendable {
    /// Nothing: it ends the connection, and waits for no call before it. A disk that stalls must not keep a host alive.
    case end
    case nothing
    /// Counters, and the recorded calls of a test.
    case counts
    /// The user and the configuration, which debug information shows.
    case user
    /// What any query may answer, such as the session or the consent.
    case state
}

/// Keeps queries in their place among the calls that change their answers.
///
/// A query waits until the changes before it are on disk. A later change, and everything after that change, waits here
/// until the query is answered. All other calls pass at once: counts go on behind a query that shows them, since a
/// program may ask for them often, and nothing it tracks is to wait for that.
final class CallOrder: Sendable {
    /// A call that was read.
    struct Call: Sendable {
        let request: Request
        let reply: Reply

        fileprivate var effect: CallEffect { BridgeMethods.effects[request.method] ?? .nothing }

        fileprivate func perform(on session: HostSession) {
            BridgeMethods.table.call(request, on: session, reply: reply)
        }
    }

    private struct State {
        /// How many queries have no answer, by the least effect of a call that they keep waiting.
        var openQuestions: [CallEffect: Int] = [:]
        /// The calls that wait, and how many of them have passed.
        var held: [Call] = []
        var taken = 0
        /// Whether waiting calls are being carried out.
        var isReleasing = false
        /// What runs once no call waits.
        var whenNoneWaits: (@Sendable () -> Void)?
        /// What becomes of every further call, once the end has come.
        var closing: (@Sendable (Reply) -> Void)?

        func mustWait(_ call: Call) -> Bool {
            // Most calls find nothing to wait for.
            guard isReleasing || !held.isEmpty || !openQuestions.isEmpty else { return false }
            let effect = call.effect
            return effect > .end && (isReleasing || !held.isEmpty || isAsked(effect))
        }

        /// Whether a query waits for its answer that a call with this effect would change.
        private func isAsked(_ effect: CallEffect) -> Bool { openQuestions.keys.contains { $0 <= effect } }

        /// The next call that need not wait any longer; `nil` if there is none.
        mutating func next() -> Call? {
            guard taken < held.count, !isAsked(held[taken].effect) else { return nil }
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
            let mustWait = state.mustWait(call)
            if mustWait, state.closing == nil { state.held.append(call) }
            return (!mustWait, state.closing)
        }
        if let closing { return closing(call.reply) }
        if isFree { call.perform(on: session) }
    }

    /// Records a query that is not answered yet.
    ///
    /// - Parameter effect: The least effect of a call that waits for the answer.
    func beginQuestion(changedBy effect: CallEffect) {
        state.withLock { $0.openQuestions[effect, default: 0] += 1 }
    }

    /// Records that a query is answered, and carries out the calls that waited for it.
    ///
    /// - Parameter effect: What it began with.
    func endQuestion(changedBy effect: CallEffect, on session: HostSession) {
        let releases = state.withLock { state in
            state.openQuestions[effect, default: 1] -= 1
            if state.openQuestions[effect] == 0 { state.openQuestions[effect] = nil }
            guard !state.isReleasing, !state.held.isEmpty else { return false }
            state.isReleasing = true
            return true
        }
        guard releases else { return }
        while let call = next() { call.perform(on: session) }
    }

    /// Runs an action once no call waits for a query; immediately, if none does.
    func whenNoneWaits(_ action: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            let isNow = state.held.isEmpty && !state.isReleasing
            if !isNow { state.whenNoneWaits = action }
            return isNow
        }
        if isNow { action() }
    }

    /// Ends every call that still waits, and every later one.
    func close(_ end: @escaping @Sendable (Reply) -> Void) {
        state.withLock { $0.closing = end }
        endWaiting(end)
    }

    /// Ends every call that still waits.
    func endWaiting(_ end: (Reply) -> Void) {
        let (waiting, whenNoneWaits) = state.withLock { state in
            defer { (state.held, state.taken, state.whenNoneWaits) = ([], 0, nil) }
            return (state.held[state.taken...], state.whenNoneWaits)
        }
        for call in waiting { end(call.reply) }
        whenNoneWaits?()
    }

    private func next() -> Call? {
        let (call, whenNoneWaits) = state.withLock { state -> (Call?, (@Sendable () -> Void)?) in
            if let call = state.next() { return (call, nil) }
            state.isReleasing = false
            guard state.held.isEmpty else { return (nil, nil) }
            defer { state.whenNoneWaits = nil }
            return (nil, state.whenNoneWaits)
        }
        whenNoneWaits?()
        return call
    }
}
