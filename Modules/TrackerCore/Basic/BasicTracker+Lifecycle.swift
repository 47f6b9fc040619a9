import Dispatch
import Synchronization
import TrackerModels
import TrackerStorage

extension BasicTracker {
    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try; 30 s by default.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why. It returns early,
    ///   with the reason, as soon as something would have to be waited for.
    @discardableResult
    public func flush(timeout: Duration = .seconds(30)) async -> FlushReport {
        await withCheckedContinuation { continuation in
            accept(flush: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Tells the tracker that the network is back: a wait for the next attempt is cut short, once.
    public func networkDidChange() {
        state.withLock { $0.run }?.lane.engine.networkDidChange()
    }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// Safe to call twice. Later calls are refused as not initialised, until `initialize` is called again. The user
    /// and the traits are forgotten.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async {
        await withCheckedContinuation { continuation in
            accept(shutdown: timeout) { continuation.resume() }
        }
    }

    /// Accepts a flush; may be told late, and nothing waits for it.
    package func accept(flush timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        let deadline = dependencies.clock.uptime + timeout
        let end = Once(completion)
        let start: @Sendable (Run?) -> Void = { [clock = dependencies.clock] run in
            guard let run else { return end(.notInitialized) }
            run.lane.engine.flush(timeout: deadline - clock.uptime) { end($0) }
        }
        // A lane that is being opened, or another one, may still take over what is queued.
        let run = state.withLock { state -> Run?? in
            guard state.isOpening else { return .some(state.run) }
            state.flushes.append(ParkedFlush(start: start))
            return nil
        }
        if let run { return start(run) }
        // The disk may stall: whoever flushes does not wait for it longer than said.
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in
            let queued = self?.state.withLock({ $0.run }).flatMap { try? $0.lane.outbox.state().queuedRecords }
            end(FlushReport(delivered: 0, remaining: queued ?? 0, stoppedBy: .timeout))
        }
    }

    /// Accepts the end: calls that come later are refused.
    package func accept(shutdown timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let (run, held, waiters, flushes) = state.withLock { state in
            let found = (state.run, state.held ?? [], state.next?.waiters ?? [], state.flushes)
            state.run = nil
            state.user = nil
            state.identified = RecentIDs()
            state.isOpening = false
            state.next = nil
            state.held = nil
            state.flushes = []
            return found
        }
        let error = TrackerError(
            .initializationFailed, "The tracker was shut down while it initialized", cause: .shutdown)
        for waiter in waiters { waiter(.failure(error)) }
        for flush in flushes { flush.start(nil) }
        for call in held {
            let refusal = Refusal(.notInitialized, ClientReporter.sentence(.notInitialized, call.name))
            call.completion(refuse(call.name, refusal))
        }
        log.endRefusals()
        guard let run else {
            hub.close(hub.epoch)
            return completion()
        }
        run.lane.shutDown(within: timeout, hub, completion: completion)
    }

    /// Takes note of what the engine did.
    func note(_ event: DeliveryEvent) {
        self.reporter.note(event)
        guard case .halted(let halt) = event else { return }
        log.log(.error, "\(halt.message). Delivery is halted and the queue kept; call initialize() again.")
    }

    /// Takes note of what happened in the outbox of a run.
    func note(_ event: OutboxEvent, in number: Int) {
        reporter.note(event)
        guard case .recovered = event, let run = state.withLock({ $0.run }), run.number == number else { return }
        run.lane.engine.kick()
    }
}
