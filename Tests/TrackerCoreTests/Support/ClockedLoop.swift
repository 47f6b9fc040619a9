import Dispatch
import Synchronization
import TestSupport
import TrackerNetworking

/// The real loop, with a clock that a test moves: requests are carried by libcurl, timers run when the test says.
final class ClockedLoop: DeliveryLoop {
    private struct Timer {
        let id: TimerID
        let at: MonotonicInstant
        let work: @Sendable () -> Void
    }

    private struct State {
        var now = MonotonicInstant(nanoseconds: 0)
        var timers: [Timer] = []
        var next: UInt64 = 1
        var isClosed = false
    }

    /// When each timer was set for, in the order of the setting.
    let settings = Recorder<MonotonicInstant>()
    private let inner: CurlLoop
    private let state = Mutex(State())

    init(_ configuration: TransportConfiguration) throws(TransportError) {
        inner = try CurlLoop(configuration: configuration)
    }

    var now: MonotonicInstant { state.withLock { $0.now } }

    /// When timers are due that wait now, the first one first.
    var pending: [MonotonicInstant] { state.withLock { $0.timers.map(\.at) }.sorted() }

    /// Lets `duration` pass, and runs what is due then.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.timers.filter { $0.at <= state.now }.sorted { $0.at < $1.at }
            state.timers.removeAll { $0.at <= state.now }
            return due
        }
        for timer in due { inner.post(timer.work) }
    }

    /// Waits until a timer has been set for that instant.
    func timer(at instant: MonotonicInstant) async throws {
        var seen = settings.all
        while !seen.contains(instant) { seen = try await settings.values(atLeast: seen.count + 1) }
    }

    /// Waits until all work that was posted before has run.
    func turn() async {
        await withCheckedContinuation { continuation in
            if !inner.post({ continuation.resume() }) { continuation.resume() }
        }
    }

    /// Keeps the loop from all other work.
    ///
    /// - Returns: Lets it go on.
    func hold() -> @Sendable () -> Void {
        let gate = DispatchSemaphore(value: 0)
        post { gate.wait() }
        return { gate.signal() }
    }

    @discardableResult
    func post(_ work: @escaping @Sendable () -> Void) -> Bool { inner.post(work) }

    @discardableResult
    func schedule(at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) -> TimerID {
        let id = state.withLock { state in
            defer { state.next += 1 }
            if !state.isClosed { state.timers.append(Timer(id: TimerID(state.next), at: instant, work: work)) }
            return TimerID(state.next)
        }
        settings.record(instant)
        return id
    }

    func cancel(_ timer: TimerID) { state.withLock { $0.timers.removeAll { $0.id == timer } } }

    @discardableResult
    func submit(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportError>) -> Void
    ) -> TransferID { inner.submit(request, completion: completion) }

    func cancel(_ transfer: TransferID) { inner.cancel(transfer) }

    func renewConnections() { inner.renewConnections() }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.timers = []
        }
        inner.close()
    }
}
