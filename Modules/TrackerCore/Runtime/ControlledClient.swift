package protocol ControlledClient: Sendable {
    var control: any ClientControl { get }
}

extension ControlledClient {
    /// Sends what is queued, and waits for the report. Cancelling the task ends the flush: its report comes at once.
    func report(ofFlush timeout: Duration) async -> FlushReport {
        let cutoff = FlushCutoff()
        defer { cutoff.forget() }
        return await Wait.answer {
            control.flush(timeout: timeout, cutoff: cutoff, completion: $0)
        } onCancel: { _ in
            cutoff.cut()
        }
    }

    /// Shuts the client down, and waits for the end, even if the task is cancelled.
    func end(within timeout: Duration) async {
        await withCheckedContinuation { continuation in
            control.shutDown(within: timeout) { continuation.resume() }
        }
    }
}
