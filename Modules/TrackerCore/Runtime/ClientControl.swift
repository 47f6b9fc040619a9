import Synchronization
import TrackerModels
import TrackerStorage

/// The operations that every kind of client has besides its own calls.
package protocol ClientControl: Sendable {
    /// How the client stands; secrets are masked.
    var debugInfo: JSONObject { get }

    /// The same values as metrics show them.
    var metrics: ClientMetrics { get }

    /// Sends what is queued now; `completion` is called once, in the time given or when `cutoff` ends it, and must not
    /// block.
    func flush(timeout: Duration, cutoff: FlushCutoff?, completion: @escaping @Sendable (FlushReport) -> Void)

    /// Sends what can be sent within the time, then closes everything. Later calls are refused.
    func shutDown(within timeout: Duration, completion: @escaping @Sendable () -> Void)

    /// Runs `body` once every call accepted before has taken effect. It does not wait for the network.
    ///
    /// - Parameter body: Run once, immediately if there is nothing to wait for. Must not block.
    func afterEarlierCalls(_ body: @escaping @Sendable () -> Void)

    /// The events that the server has refused, oldest first.
    ///
    /// - Throws: `storage` if the disk cannot be read.
    func refused(matching filter: RefusedFilter) throws(TrackerError) -> [RefusedEvent]

    /// Does something with the events that the server has refused.
    ///
    /// - Parameter completion: Called with their number, or why they are as they were. Must not block.
    func change(
        refused filter: RefusedFilter, _ action: RefusedAction,
        completion: @escaping @Sendable (Result<Int, TrackerError>) -> Void)

    /// Goes on with other credentials, from the next request on.
    ///
    /// - Throws: `invalidConfiguration` naming the part that cannot be used.
    func setCredentials(_ credentials: Credentials) throws(TrackerError)

    /// Has a program in another language asked for credentials; it answers by ``setCredentials(_:)``.
    ///
    /// - Parameter notify: Called with the server's refusal, if there was one. Must not block.
    func askForCredentials(by notify: @escaping @Sendable (String?) -> Void)

    /// Counts and logs a call that cannot be passed on.
    ///
    /// - Returns: What it is answered with.
    func refuse(_ name: String, _ refusal: Refusal) -> CallAnswer

    /// Calls `observer` with every diagnostic as it arises, deliveries excepted.
    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void)

    /// Has deliveries handed to the observers too.
    func observeDeliveries()
}

extension ClientControl {
    package func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        flush(timeout: timeout, cutoff: nil, completion: completion)
    }
}

extension ClientRuntime: ClientControl {
    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }

    func observeDeliveries() { hub.observeDeliveries() }

    var metrics: ClientMetrics {
        let (run, last, account, refused) = contents.withLock { contents in
            // Where lanes are shared, the registry has what closed ones have counted.
            let account = dependencies.sharing == nil ? contents.lastAccount : nil
            return (contents.state.run, contents.lastMetrics, account, contents.refused)
        }
        return ClientMetrics(
            refusedCalls: refused,
            lane: run.map { QueueMetrics($0.lane.parts) } ?? last ?? account.map { QueueMetrics($0) })
    }

    /// The lane of a run closes: what it has counted stays. A shared lane goes on.
    func keep(_ last: QueueMetrics, of run: Run) {
        guard run.lane.share == nil else { return }
        guard let registry = dependencies.sharing?.registry else {
            return contents.withLock { $0.lastMetrics = last }
        }
        registry.keep(last, of: ClientName(run.settings.lane.kind))
    }

    func askForCredentials(by notify: @escaping @Sendable (String?) -> Void) {
        contents.withLock { $0.credentials.notify = notify }
    }

    func refused(matching filter: RefusedFilter) throws(TrackerError) -> [RefusedEvent] {
        do throws(StorageError) {
            return try lane?.outbox.refused(matching: filter) ?? []
        } catch {
            // A reset or a shutdown has just closed it: there is none, as before `initialize`.
            if error.kind == .closed { return [] }
            throw TrackerError(.storage, error.message)
        }
    }

    func change(
        refused filter: RefusedFilter, _ action: RefusedAction,
        completion: @escaping @Sendable (Result<Int, TrackerError>) -> Void
    ) {
        // Nothing of a client is queued that the server has disabled.
        let isDisabled = contents.withLock { if case .disabled(_, .server) = $0.state.phase { true } else { false } }
        guard let lane, !(isDisabled && action == .retry) else { return completion(.success(0)) }
        lane.outbox.change(refused: filter, action) { result in
            lane.engine.kick()
            if case .failure(let error) = result, error.kind == .closed { return completion(.success(0)) }
            completion(result.mapError { TrackerError(.storage, $0.message) })
        }
    }
}
