import TrackerModels

/// What can be asked of every client besides its own calls, whatever its kind.
package protocol ClientControl: Sendable {
    /// Sends what is queued now; `completion` is called once, in the time given, and must not block.
    func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void)

    /// Sends what can be sent within the time, then closes everything.
    func shutDown(within timeout: Duration, completion: @escaping @Sendable () -> Void)

    /// Runs `body` once every call accepted before has taken effect. Nothing waits for the network.
    func afterEarlierCalls(_ body: @escaping @Sendable () -> Void)

    /// Counts and logs a call that cannot be passed on.
    func refuse(call name: String, as reason: RefusalReason, _ message: String)

    /// Has every diagnostic handed to `observer` as it arises.
    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void)
}

extension ClientRuntime: ClientControl {
    func refuse(call name: String, as reason: RefusalReason, _ message: String) {
        _ = refuse(name, Refusal(reason, message))
    }

    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }
}

/// A client that a ``ClientControl`` runs: what the host needs of each, written once.
package protocol ControlledClient: Sendable {
    /// What runs the client.
    var control: any ClientControl { get }
}

extension ControlledClient {
    /// Accepts a flush; it may be answered late, and nothing waits for it.
    package func accept(flush timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        control.flush(timeout: timeout, completion: completion)
    }

    /// Accepts the end: calls that come later are refused.
    package func accept(shutdown timeout: Duration, completion: @escaping @Sendable () -> Void) {
        control.shutDown(within: timeout, completion: completion)
    }

    /// Does something when every call accepted before has taken effect. Nothing waits for the network.
    ///
    /// - Parameter body: Run once, at once if there is nothing to wait for. Must not block.
    package func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) { control.afterEarlierCalls(body) }

    /// Refuses a call that cannot be passed on.
    ///
    /// - Parameter message: Why, for the log.
    package func refuse(call name: String, as reason: RefusalReason, _ message: String) {
        control.refuse(call: name, as: reason, message)
    }

    /// Has every diagnostic handed to `observer` as it arises.
    package func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { control.observe(observer) }

    /// Sends what is queued, and waits for the report.
    func report(ofFlush timeout: Duration) async -> FlushReport {
        await withCheckedContinuation { continuation in
            control.flush(timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Shuts the client down, and waits for the end.
    func end(within timeout: Duration) async {
        await withCheckedContinuation { continuation in
            control.shutDown(within: timeout) { continuation.resume() }
        }
    }
}
