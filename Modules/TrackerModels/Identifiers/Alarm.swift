import Dispatch
import Synchronization

/// Runs something after a while, on a thread of its own.
///
/// A timer of Dispatch would open descriptors, and end the process if it has none left. This one needs none. One thread
/// waits for all alarms of the process, as long as there are any: a thread for each would keep those that wait for a disk
/// from getting one.
package final class Alarm: Sendable {
    /// What to run; `nil` once the alarm is over.
    private let work: Mutex<(@Sendable () -> Void)?>

    /// - Parameters:
    ///   - delay: How long to wait.
    ///   - work: Run once, unless the alarm is cancelled before.
    @discardableResult
    package init(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        self.work = Mutex(work)
        if delay > .zero {
            AlarmClock.shared.add(self, at: MonotonicClock.now.advanced(by: delay))
        } else {
            ring()
        }
    }

    package func cancel() {
        if take() != nil { AlarmClock.shared.remove(self) }
    }

    fileprivate func ring() {
        DispatchQueue(label: "tracker.alarm").async { [self] in take()?() }
    }

    private func take() -> (@Sendable () -> Void)? { work.withLock { $0.take() } }
}

/// Waits for the alarms of the process.
private final class AlarmClock: Sendable {
    private struct State {
        /// The first one due first.
        var alarms: [(due: MonotonicInstant, alarm: Alarm)] = []
        var isWaiting = false
    }

    static let shared = AlarmClock()

    private let state = Mutex(State())
    /// Signalled when the first alarm is another one.
    private let change = DispatchSemaphore(value: 0)

    func add(_ alarm: Alarm, at due: MonotonicInstant) {
        let (isFirst, starts) = state.withLock { state in
            let place = state.alarms.firstIndex { $0.due > due } ?? state.alarms.endIndex
            state.alarms.insert((due, alarm), at: place)
            defer { state.isWaiting = true }
            return (place == 0, !state.isWaiting)
        }
        if starts {
            DispatchQueue(label: "tracker.alarms").async { [self] in wait() }
        } else if isFirst {
            change.signal()
        }
    }

    func remove(_ alarm: Alarm) {
        let wasFirst = state.withLock { state in
            guard let place = state.alarms.firstIndex(where: { $0.alarm === alarm }) else { return false }
            state.alarms.remove(at: place)
            return place == 0
        }
        if wasFirst { change.signal() }
    }

    /// Rings what is due, until no alarm is set.
    private func wait() {
        while true {
            let now = MonotonicClock.now
            let (due, next) = state.withLock { state in
                let due = state.alarms.prefix { $0.due <= now }.map(\.alarm)
                state.alarms.removeFirst(due.count)
                state.isWaiting = !state.alarms.isEmpty
                return (due, state.alarms.first?.due)
            }
            for alarm in due { alarm.ring() }
            guard let next else { return }
            _ = change.wait(timeout: .now() + now.duration(to: next) / .seconds(1))
        }
    }
}
