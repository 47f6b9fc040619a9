import TrackerModels

/// The operations that every kind of client has besides its own calls.
package protocol ClientControl: Sendable {
    /// Sends what is queued now; `completion` is called once, in the time given, and must not block.
    func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void)

    /// Sends what can be sent within the time, then closes everything. Later calls are refused.
    func shutDown(within timeout: Duration, completion: @escaping @Sendable () -> Void)

    /// Runs `body` once every call accepted before has taken effect. It does not wait for the network.
    ///
    /// - Parameter body: Run once, immediately if there is nothing to wait for. Must not block.
    func afterEarlierCalls(_ body: @escaping @Sendable () -> Void)

    /// Counts and logs a call that cannot be passed on.
    ///
    /// - Parameter message: Why, for the log.
    func refuse(call name: String, as reason: RefusalReason, _ message: String)

    /// Calls `observer` with every diagnostic as it arises, deliveries excepted.
    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void)

    /// Has deliveries handed to the observers too.
    func observeDeliveries()
}

extension ClientRuntime: ClientControl {
    func refuse(call name: String, as reason: RefusalReason, _ message: String) {
        _ = refuse(name, Refusal(reason, message))
    }

    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }

    func observeDeliveries() { hub.observeDeliveries() }
}

/// A client with a ``ClientControl``.
package protocol ControlledClient: Sendable {
    /// What runs the client.
    var control: any ClientControl { get }
}

extension ControlledClient {
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
