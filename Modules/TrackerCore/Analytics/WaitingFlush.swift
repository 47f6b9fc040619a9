import Synchronization
import TrackerNetworking

/// Somebody who waits for a flush, which may have to wait itself until the client is able to begin it.
final class WaitingFlush: Sendable {
    private struct State {
        var isBegun = false
        var timer: (loop: any DeliveryLoop, id: TimerID)?
    }

    /// How long it may take, from the call on.
    let timeout: Duration
    private let since: Duration
    private let completion: Once<FlushReport>
    private let state = Mutex(State())

    /// - Parameter since: The uptime at the call.
    init(timeout: Duration, since: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        self.timeout = timeout
        self.since = since
        self.completion = Once(completion)
    }

    /// Sees to it that the wait for its beginning ends in time.
    ///
    /// - Parameter remaining: How many events wait, once it is too late.
    func hold(on loop: any DeliveryLoop, remaining: @escaping @Sendable () -> Int) {
        state.withLock { state in
            guard !state.isBegun else { return }
            let id = loop.schedule(at: loop.now.advanced(by: timeout)) { [self] in
                guard self.state.withLock({ !$0.isBegun }) else { return }
                end(FlushReport(delivered: 0, remaining: remaining(), stoppedBy: .timeout))
            }
            state.timer = (loop, id)
        }
    }

    /// Begins it.
    ///
    /// - Returns: How much of its time is left.
    func begin(at uptime: Duration) -> Duration {
        let timer = state.withLock { state in
            state.isBegun = true
            defer { state.timer = nil }
            return state.timer
        }
        guard let timer else { return timeout }
        timer.loop.cancel(timer.id)
        return max(.zero, timeout - (uptime - since))
    }

    /// Tells what it came to, unless that has been told.
    func end(_ report: FlushReport) { completion(report) }
}
