import Synchronization
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

/// A delivery loop that the test steps by hand: nothing runs unless `run` is called, time moves only by `advance`.
///
/// Requests are answered by `respond`; a request that it answers with `nil` stays on the wire.
final class SteppedLoop: DeliveryLoop {
    typealias Completion = @Sendable (Result<HTTPResponse, TransportError>) -> Void

    private struct State {
        var now = MonotonicInstant(nanoseconds: 0)
        var queue: [@Sendable () -> Void] = []
        var timers: [(id: TimerID, at: MonotonicInstant, work: @Sendable () -> Void)] = []
        var wire: [(id: TransferID, request: HTTPRequest, completion: Completion)] = []
        var sent: [HTTPRequest] = []
        var next: UInt64 = 1
        var isClosed = false
        var respond: @Sendable (HTTPRequest) -> Result<HTTPResponse, TransportError>? = { _ in nil }
    }

    private let state = Mutex(State())

    /// Every request so far.
    var requests: [HTTPRequest] { state.withLock { $0.sent } }

    /// Requests that wait for an answer.
    var onTheWire: [HTTPRequest] { state.withLock { $0.wire.map(\.request) } }

    /// When the next timer is due.
    var nextTimer: MonotonicInstant? { state.withLock { $0.timers.map(\.at).min() } }

    var now: MonotonicInstant { state.withLock { $0.now } }

    /// Answers requests from now on, those on the wire too.
    func answer(with respond: @escaping @Sendable (HTTPRequest) -> Result<HTTPResponse, TransportError>?) {
        state.withLock { $0.respond = respond }
    }

    /// Lets `duration` pass.
    func advance(by duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    /// Does one thing that is due; false if nothing is.
    func step() -> Bool {
        let work = state.withLock { state -> (@Sendable () -> Void)? in
            if !state.queue.isEmpty { return state.queue.removeFirst() }
            if let due = state.timers.indices.filter({ state.timers[$0].at <= state.now })
                .min(by: { state.timers[$0].at < state.timers[$1].at })
            {
                return state.timers.remove(at: due).work
            }
            for index in state.wire.indices {
                guard let answer = state.respond(state.wire[index].request) else { continue }
                let (_, _, completion) = state.wire.remove(at: index)
                return { completion(answer) }
            }
            return nil
        }
        work?()
        return work != nil
    }

    @discardableResult
    func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.queue.append(work) }
            return !state.isClosed
        }
    }

    @discardableResult
    func schedule(at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) -> TimerID {
        state.withLock { state in
            defer { state.next += 1 }
            if !state.isClosed { state.timers.append((TimerID(state.next), instant, work)) }
            return TimerID(state.next)
        }
    }

    func cancel(_ timer: TimerID) {
        state.withLock { $0.timers.removeAll { $0.id == timer } }
    }

    @discardableResult
    func submit(_ request: HTTPRequest, completion: @escaping Completion) -> TransferID {
        let (id, isClosed) = state.withLock { state in
            defer { state.next += 1 }
            if !state.isClosed {
                state.sent.append(request)
                state.wire.append((TransferID(state.next), request, completion))
            }
            return (TransferID(state.next), state.isClosed)
        }
        if isClosed { completion(.failure(TransportError(.closed, host: "", message: "closed"))) }
        return id
    }

    func cancel(_ transfer: TransferID) {
        let completion = state.withLock { state -> Completion? in
            guard let index = state.wire.firstIndex(where: { $0.id == transfer }) else { return nil }
            return state.wire.remove(at: index).completion
        }
        guard let completion else { return }
        post { completion(.failure(TransportError(.cancelled, host: "", message: "cancelled"))) }
    }

    func renewConnections() {}

    func close() {
        let wire = state.withLock { state in
            state.isClosed = true
            state.timers = []
            defer { state.wire = [] }
            return state.wire
        }
        for (_, _, completion) in wire {
            completion(.failure(TransportError(.closed, host: "", message: "closed")))
        }
    }

    /// Forgets everything at once, as a process that is killed does.
    func kill() {
        state.withLock { state in
            state.isClosed = true
            state.queue = []
            state.timers = []
            state.wire = []
        }
    }
}
