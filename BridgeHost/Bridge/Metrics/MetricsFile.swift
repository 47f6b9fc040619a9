import Synchronization
import TrackerCore
import TrackerModels
import TrackerPlatform

/// A file with the metrics, for a reader such as node_exporter's textfile collector.
///
/// It is replaced whole. Something that changes has it written once within ``interval``; while nothing changes, nothing
/// wakes the process.
package final class MetricsFile: Sendable {
    /// How long it may be behind.
    package static let interval = Duration.seconds(10)

    private let path: String
    private let interval: Duration
    private let log: HostLog
    private let isDue = Atomic(false)
    /// Why it could not be written the last time. Only one thread writes at a time.
    private let failure = Mutex<WholeFile.Failure?>(nil)

    /// - Parameters:
    ///   - path: Where it is; its folder must be there.
    ///   - log: Where it is said if it cannot be written.
    package init(_ path: String, log: HostLog, interval: Duration = MetricsFile.interval) {
        self.path = path
        self.log = log
        self.interval = interval
    }

    /// Has it written in a while, unless that is so already.
    func change(to text: @escaping @Sendable () -> String?) {
        guard !isDue.load(ordering: .relaxed), !isDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Alarm(after: interval) { [self] in
            write {
                // What changes from here on is for the next time. Not before: while the disk stalls, one thread waits.
                isDue.store(false, ordering: .releasing)
                return text()
            }
        }
    }

    /// Has it written now, by a thread of its own: a disk that stalls keeps nobody waiting.
    ///
    /// - Parameter completion: Called once it is written, or cannot be.
    func writeAside(_ text: @escaping @Sendable () -> String?, completion: @escaping @Sendable () -> Void = {}) {
        Alarm(after: .zero) { [self] in
            write(text)
            completion()
        }
    }

    /// Writes it now; without a text it stays as it is.
    func write(_ text: () -> String?) {
        failure.withLock { failure in
            guard let text = text() else { return }
            let before = failure
            do throws(WholeFile.Failure) {
                try WholeFile.replace(path, with: Array(text.utf8))
                failure = nil
                if before != nil { log.log(HostLogEntry(.warning, "The metrics file \(path) can be written again.")) }
            } catch {
                failure = error
                guard error != before else { return }
                log.log(
                    HostLogEntry(
                        .warning,
                        "The metrics file \(path) cannot be written: \(error.message). Delivery goes on without it."))
            }
        }
    }
}
