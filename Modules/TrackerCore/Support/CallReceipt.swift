import Synchronization
public import TrackerModels

/// The receipt of a call that does not wait: its outcome can be awaited later.
///
/// The call has its place in the order already; releasing the receipt changes nothing.
public final class CallReceipt: Sendable {
    private struct State {
        var outcome: TrackOutcome?
        var waiters: [CheckedContinuation<TrackOutcome, Never>] = []
    }

    private let state = Mutex(State())

    init() {}

    /// What became of the call, once it is on disk or refused.
    ///
    /// A call that waits until its client is initialised has no outcome before. Cancelling the waiting task changes
    /// nothing.
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

    /// Gives the outcome to all who wait; only the first one counts.
    func resolve(_ outcome: TrackOutcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<TrackOutcome, Never>]() }
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
