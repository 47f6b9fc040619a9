import Synchronization
import TrackerModels
import TrackerNetworking

/// Sends what waits, and has a missing session made, over failures and their waits, until nothing is left, nothing more
/// can be sent, or the time is over.
///
/// A flush ends at the first wait. The drain then flushes again with the next thing that happens to the client, so it
/// wakes no earlier than the client itself.
package final class ClientDrain: Sendable {
    private struct State {
        var isFlushing = false
        /// Whether something has happened since the flush began.
        var hasNews = false
        var isCut = false
        /// The last report, which counts once the time is over.
        var last = FlushReport(delivered: 0, remaining: 0)
        /// Called with the report; `nil` once it is over.
        var completion: (@Sendable (FlushReport) -> Void)?
    }

    private let control: any ClientControl
    private let deadline: MonotonicInstant
    private let cutoff = FlushCutoff()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - timeout: How long to try.
    ///   - completion: Called once, with the last report. Must not block.
    package init(
        _ control: any ClientControl, within timeout: Duration,
        completion: @escaping @Sendable (FlushReport) -> Void
    ) {
        self.control = control
        deadline = MonotonicClock.now.advanced(by: timeout)
        let alarm = Mutex<Alarm?>(nil)
        state = Mutex(
            State { report in
                alarm.withLock { $0?.cancel() }
                completion(report)
            })
        // A flush under way ends by itself then.
        alarm.withLock { $0 = Alarm(after: timeout) { [weak self] in self?.endWait() } }
        control.observe { [weak self] _ in self?.lookAgain() }
        control.observeDeliveries()
        lookAgain()
    }

    /// Ends before the time is over.
    package func cut() {
        state.withLock { $0.isCut = true }
        cutoff.cut()
        endWait()
    }

    private func lookAgain() {
        let begins = state.withLock { state in
            guard state.completion != nil else { return false }
            state.hasNews = state.isFlushing
            defer { state.isFlushing = true }
            return !state.isFlushing
        }
        if begins { flush() }
    }

    private func flush() {
        let rest = max(.zero, MonotonicClock.now.duration(to: deadline))
        control.flush(timeout: rest, cutoff: cutoff) { [self] in take($0) }
    }

    private func take(_ report: FlushReport) {
        let goesOn = report.stoppedBy?.mayPass ?? control.lacksSession
        let (again, completion) = state.withLock { state in
            state.last = report
            guard goesOn, !state.isCut, MonotonicClock.now < deadline else {
                return (false, state.completion.take())
            }
            state.isFlushing = state.hasNews
            state.hasNews = false
            return (state.isFlushing, nil)
        }
        completion?(report)
        if again { flush() }
    }

    /// Ends unless a flush is under way.
    private func endWait() {
        let (report, completion) = state.withLock { state in
            (state.last, state.isFlushing ? nil : state.completion.take())
        }
        completion?(report)
    }
}

extension ClientControl {
    /// Whether delivery still has to make a session. It makes none while it is halted, or without consent.
    package var lacksSession: Bool {
        let info = debugInfo
        return info["sessionId"] == .null && info["consent"] == "granted" && info["halted"] == nil
    }
}

extension StopReason {
    /// Whether it may pass without anyone's doing.
    fileprivate var mayPass: Bool {
        switch self {
        case .retryWait, .breakerOpen, .storage: true
        case .timeout, .halted, .noConsent, .noSession, .notInitialized, .otherProcess: false
        }
    }
}
