import Dispatch
import Synchronization
package import TrackerCore

/// The metrics of all clients of the process, whichever session they are of, and the file that has them.
package final class HostMetrics: Sendable {
    private struct Member {
        weak var session: HostSession?
    }

    private struct State {
        var members: [Member] = []
        /// How many calls the clients of sessions have refused that have ended: counters never fall.
        var ended: [ClientName: ClientMetrics] = [:]
        /// Whether the clients end: then only the end writes the file.
        var isEnding = false
    }

    private let state = Mutex(State())
    /// Those who wait for the text. As long as there is one, a thread reads it.
    private let readers = Mutex<[@Sendable (String) -> Void]>([])
    private let file: MetricsFile?
    private let lanes: OpenLanes?

    /// - Parameter lanes: The lanes that sessions share, which outlive them.
    package init(file: MetricsFile? = nil, lanes: OpenLanes? = nil) {
        self.file = file
        self.lanes = lanes
    }

    /// Adds the clients of a session, for as long as it lives.
    func add(_ session: HostSession) {
        state.withLock { state in
            state.members.removeAll { $0.session == nil }
            state.members.append(Member(session: session))
        }
    }

    /// Takes out the clients of a session that has ended. What they have counted stays.
    func remove(_ session: HostSession) {
        state.withLock { state in
            state.members.removeAll { $0.session === session }
            for (name, client) in session.clients {
                state.ended[name, default: ClientMetrics()].add(refusedCallsOf: client.control.metrics)
            }
        }
    }

    /// The metrics as they are now. It reads the disk.
    package var text: String {
        let (sessions, ended) = state.withLock { ($0.members.compactMap(\.session), $0.ended) }
        return MetricsText(
            sessions.flatMap { session in session.clients.map { ($0.name, $0.client.control.metrics) } }
                + ended.map { ($0, $1) } + (lanes?.metrics ?? []).map { ($0.name, $0.metrics) }
        ).text
    }

    /// Reads them on a thread of its own: it keeps nobody waiting, whatever the disk does.
    func readAside(_ completion: @escaping @Sendable (String) -> Void) {
        let isFirst = readers.withLock { readers in
            readers.append(completion)
            return readers.count == 1
        }
        guard isFirst else { return }
        Alarm(after: .zero) { [self] in
            while true {
                let waiting = readers.withLock { $0 }
                let text = text
                for reader in waiting { reader(text) }
                let isDone = readers.withLock { readers in
                    readers.removeFirst(waiting.count)
                    return readers.isEmpty
                }
                if isDone { return }
            }
        }
    }

    /// The same, until the clients close.
    private var textBeforeEnd: String? { state.withLock(\.isEnding) ? nil : text }

    /// Has the file written for the first time: one that cannot be written is noticed early.
    package func begin() { file?.writeAside { [self] in textBeforeEnd } }

    /// Something has happened that the metrics show.
    func change() { file?.change { [self] in textBeforeEnd } }

    /// The clients are about to close. What is in the file stays until ``end(by:)``.
    package func willEnd() { state.withLock { $0.isEnding = true } }

    /// Writes the file for the last time, with the figures that the clients have closed with.
    ///
    /// - Parameter deadline: Until when it waits for that: the disk may stall.
    package func end(by deadline: ContinuousClock.Instant) {
        guard let file else { return }
        willEnd()
        let writing = DispatchGroup()
        writing.enter()
        file.writeAside({ [self] in text }, completion: { writing.leave() })
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
        _ = writing.wait(timeout: .now() + rest / .seconds(1))
    }
}
