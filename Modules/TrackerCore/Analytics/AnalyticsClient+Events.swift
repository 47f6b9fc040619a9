import Synchronization
import TrackerModels
import TrackerStorage

extension AnalyticsClient {
    /// Takes note of what the engine of a run did.
    func note(_ event: DeliveryEvent, in number: Int) {
        self.reporter.note(event)
        guard case .disabled(let halt) = event else { return }
        let effects = state.withLock { state -> [Effect]? in
            guard let run = state.run, run.number == number, !state.isEnding else { return nil }
            state.phase = .disabled(run, .server(halt.message))
            // What was accepted since the engine dropped the queue goes as well.
            run.lane.outbox.stage(.dropAll(.disabled)) { _ in }
            let waiters = state.waiters
            state.waiters = []
            return drain(&state) + waiters.map { waiter in { waiter(.success(())) } }
        }
        guard let effects else { return }
        log.log(
            .error,
            "\(halt.message). The client is disabled and its queue cleared; calls are dropped until it is reset.")
        for effect in effects { effect() }
    }

    /// Takes note of what happened in the outbox of a run.
    func note(_ event: OutboxEvent, in number: Int) {
        reporter.note(event)
        guard case .recovered = event, let run = state.withLock({ $0.run }), run.number == number else { return }
        run.lane.engine.kick()
    }
}

extension AnalyticsClient.State {
    /// Whether the run that is under way is being reset, or there is none.
    fileprivate var isEnding: Bool {
        switch phase {
        case .initializing, .ready, .disabled: false
        case .idle, .resetting, .shutDown: true
        }
    }
}
