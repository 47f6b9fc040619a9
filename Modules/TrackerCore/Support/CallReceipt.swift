import Synchronization
public import TrackerModels

/// What a call that does not wait returns: you can await its outcome later.
///
/// The place of the call in the order is fixed already. You may release the receipt: the call takes effect all the
/// same.
public final class CallReceipt: Sendable {
    private struct State {
        var outcome: TrackOutcome?
        var waiters: [CheckedContinuation<TrackOutcome, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes a receipt that has its outcome: for a stand-in of a client, in your tests.
    public convenience init(_ outcome: TrackOutcome) {
        self.init()
        resolve(outcome)
    }

    /// What became of the call. It is known once the call is on disk or dropped.
    ///
    /// A call that is held until its client is initialised has no outcome until then. Cancelling the task that waits
    /// does not end the wait, and does not undo the call.
    public var outcome: TrackOutcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiters.append(continuation) }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// Gives the outcome to all who wait; only the first one counts. A client does this with the receipts that it makes.
    package func resolve(_ outcome: TrackOutcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<TrackOutcome, Never>]() }
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}

extension CallReceipt: CallReceiver {
    package func receive(_ answer: CallAnswer, of _: Int) { resolve(answer.outcome) }
}
