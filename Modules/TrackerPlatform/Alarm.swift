import Dispatch
import Synchronization

/// Runs something after a while, on a thread of its own.
///
/// A timer of Dispatch would open descriptors, and end the process if it has none left. This one needs none.
package final class Alarm: Sendable {
    private let waiting = DispatchGroup()
    private let isOver = Atomic(false)

    /// Sets an alarm.
    ///
    /// - Parameters:
    ///   - delay: How long to wait.
    ///   - work: Run once, unless the alarm is cancelled before.
    @discardableResult
    package init(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        waiting.enter()
        DispatchQueue(label: "tracker.alarm").async { [self] in
            _ = waiting.wait(timeout: .now() + delay / .seconds(1))
            if end() { work() }
        }
    }

    /// Ends the wait, and its thread.
    package func cancel() { _ = end() }

    /// - Returns: Whether it was not over before.
    private func end() -> Bool {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        waiting.leave()
        return true
    }
}
