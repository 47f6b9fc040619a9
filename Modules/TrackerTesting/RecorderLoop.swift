import Dispatch
import Synchronization
import TrackerModels
import TrackerNetworking

/// Stands in for the network: answers every request at once with success, and sends nothing.
///
/// Its timers never run. Delivery sets them to wait for a server, and here none is waited for.
final class RecorderLoop: DeliveryLoop {
    private let queue = DispatchQueue(label: "tracker.recorder")
    private let isClosed = Atomic(false)
    private let lastNumber = Atomic<UInt64>(0)
    private let sessions: SessionNames

    /// - Parameter sessions: Where the names of new sessions come from.
    init(naming sessions: SessionNames) { self.sessions = sessions }

    var now: MonotonicInstant { MonotonicClock.now }

    @discardableResult
    func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard !isClosed.load(ordering: .acquiring) else { return false }
        queue.async(execute: work)
        return true
    }

    @discardableResult
    func schedule(at _: MonotonicInstant, _: @escaping @Sendable () -> Void) -> TimerID { TimerID(next()) }

    func cancel(_: TimerID) {}

    @discardableResult
    func submit(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportError>) -> Void
    ) -> TransferID {
        let answer = { @Sendable [sessions] in completion(.success(sessions.answer(to: request))) }
        if !post(answer) { completion(.failure(TransportError(.closed, host: "", message: "The recorder is closed"))) }
        return TransferID(next())
    }

    // It has its answer already, or gets it next.
    func cancel(_: TransferID) {}

    func renewConnections() {}

    func close() { isClosed.store(true, ordering: .releasing) }

    private func next() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }
}

/// Names the sessions of one test: `session-1`, `session-2` and so on.
final class SessionNames: Sendable {
    private let last = Atomic(0)

    func next() -> String { "session-\(last.add(1, ordering: .relaxed).newValue)" }

    /// What a server that accepts everything would answer.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        guard request.method == .post, request.url.hasSuffix("/v2/tracking-session") else {
            return HTTPResponse(status: 200, body: Array("{}".utf8))
        }
        return HTTPResponse(status: 200, body: Array(#"{"data":{"id":"\#(next())"}}"#.utf8))
    }
}
