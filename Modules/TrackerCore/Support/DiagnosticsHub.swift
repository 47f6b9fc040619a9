import Synchronization
import TrackerModels

/// Gives each diagnostic to every listener.
final class DiagnosticsHub: Sendable {
    private struct State {
        var subscriptions: [WeakSubscription] = []
        var observers: [@Sendable (Diagnostic) -> Void] = []
        var observesDeliveries = false
        var isClosed = false
        /// How often the hub was opened again after a close.
        var opening = 0
    }

    private struct WeakSubscription {
        weak var subscription: Subscription?
    }

    private let state = Mutex(State())
    /// Whether anybody has asked for deliveries; asked for at each, without a lock.
    private let deliveries = Flag(false)

    var wantsDeliveries: Bool { deliveries.value }

    func observeDeliveries() {
        state.withLock { $0.observesDeliveries = true }
        deliveries.set(true)
    }

    func add(_ subscription: Subscription) {
        let isClosed = state.withLock { state in
            // Under the lock: a report that finds nobody else turns it off there.
            if subscription.includesDeliveries { deliveries.set(true) }
            state.subscriptions.removeAll { $0.subscription == nil }
            state.subscriptions.append(WeakSubscription(subscription: subscription))
            return state.isClosed
        }
        if isClosed { subscription.finish() }
    }

    /// Calls `observer` with every diagnostic as well, immediately, on the thread on which it arises.
    func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Reports what one request has delivered, to those who have asked for it.
    func report(delivered ids: [MessageID]) {
        let (subscriptions, observers) = state.withLock { state in
            state.subscriptions.removeAll { $0.subscription == nil }
            let asking = state.subscriptions.filter { $0.subscription?.includesDeliveries == true }
            if asking.isEmpty, !state.observesDeliveries { deliveries.set(false) }
            return (asking, state.observesDeliveries ? state.observers : [])
        }
        for subscription in subscriptions { subscription.subscription?.offer(.delivered(ids)) }
        for observer in observers { observer(.delivered(ids)) }
    }

    func report(_ diagnostic: Diagnostic) {
        let (subscriptions, observers) = state.withLock { ($0.subscriptions, $0.observers) }
        for subscription in subscriptions { subscription.subscription?.offer(diagnostic) }
        for observer in observers { observer(diagnostic) }
    }

    /// Opens the hub for listeners again, after `close`.
    func open() {
        state.withLock { state in
            state.isClosed = false
            state.opening += 1
        }
    }

    /// The number of the current opening: a late ``close(_:)`` names the one that it means.
    var opening: Int { state.withLock { $0.opening } }

    /// Ends every iteration, unless the hub was opened again since.
    func close(_ opening: Int) {
        let subscriptions = state.withLock { state -> [WeakSubscription] in
            guard state.opening == opening else { return [] }
            state.isClosed = true
            return state.subscriptions
        }
        for subscription in subscriptions { subscription.subscription?.finish() }
    }
}

/// One listener's bounded buffer.
final class Subscription: Sendable {
    let includesDeliveries: Bool
    /// What was reported, the newest if it was too much.
    let diagnostics: AsyncStream<Diagnostic>
    private let buffer: AsyncStream<Diagnostic>.Continuation
    /// How many were dropped, and are not reported as missed yet.
    private let missed = Atomic(0)

    init(limit: Int, includesDeliveries: Bool = false) {
        self.includesDeliveries = includesDeliveries
        (diagnostics, buffer) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(limit))
    }

    func offer(_ diagnostic: Diagnostic) {
        if case .dropped = buffer.yield(diagnostic) { missed.add(1, ordering: .relaxed) }
    }

    func finish() { buffer.finish() }

    /// How many were dropped since the last call.
    func takeMissed() -> Int { missed.exchange(0, ordering: .relaxed) }
}
