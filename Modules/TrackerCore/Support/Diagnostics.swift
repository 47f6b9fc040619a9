import Synchronization
public import TrackerModels

/// Something that happened while events were delivered.
public enum Diagnostic: Hashable, Sendable {
    /// Records left the queue undelivered. The ids are those that are known; the count is exact.
    case dropped([MessageID], count: Int, DropReason)
    /// The server has taken these records, all in one request. Only ``Diagnostics/withDeliveries`` reports it. After a
    /// crash the records may be delivered once more, under the same ids.
    case delivered([MessageID])
    /// A call was refused when it was made.
    case refused(call: String, RefusalReason)
    /// A request failed and will be sent again.
    case retried(status: Int?, message: String)
    /// The circuit breaker changed its state.
    case breaker(CircuitState)
    /// The session changed. `nil` means that there is none now.
    case session(SessionID?)
    /// The disk fails or works again, or the database was damaged. The text is a sentence for a developer.
    case storage(String)
    /// Delivery halted, went on, or moved to another process. The text is a sentence for a developer.
    case lane(String)
    /// This many diagnostics were dropped, the oldest first, because the listener did not read them in time.
    case missed(Int)

    /// Delivery was halted, and goes on with what the client was initialised with since.
    static var deliveryResumes: Diagnostic { .lane("Delivery resumes.") }
}

/// The state of a circuit breaker, which keeps requests back after several failures.
public enum CircuitState: String, Hashable, Sendable, CaseIterable {
    /// Requests are sent.
    case closed
    /// One request is under way, and its answer decides whether the breaker closes or opens again.
    case halfOpen
    /// Nothing is sent until the cooldown has passed.
    case open
}

/// The diagnostics of one client, to be read with `for await`.
///
/// Each loop has a buffer of its own, of 256 diagnostics. When it is full the oldest are dropped, and a
/// ``Diagnostic/missed(_:)`` says how many.
public struct Diagnostics: AsyncSequence, Sendable {
    let hub: DiagnosticsHub
    private var includesDeliveries = false

    init(hub: DiagnosticsHub) { self.hub = hub }

    /// The same diagnostics and ``Diagnostic/delivered(_:)`` besides, one for each request that the server takes.
    ///
    /// While nobody asks for them they cost nothing. They share the buffer with the others, so read them without delay.
    public var withDeliveries: Diagnostics {
        var all = self
        all.includesDeliveries = true
        return all
    }

    /// Starts to listen: the loop gets what happens from now on.
    public func makeAsyncIterator() -> Iterator {
        let subscription = Subscription(limit: 256, includesDeliveries: includesDeliveries)
        hub.add(subscription)
        return Iterator(subscription: subscription, diagnostics: subscription.diagnostics.makeAsyncIterator(), hub: hub)
    }

    /// Reads the diagnostics for one loop.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription
        var diagnostics: AsyncStream<Diagnostic>.Iterator
        let hub: DiagnosticsHub

        /// The next diagnostic; `nil` once the client is shut down or the task is cancelled.
        public mutating func next() async -> Diagnostic? {
            let missed = subscription.takeMissed()
            return missed > 0 ? .missed(missed) : await diagnostics.next(isolation: #isolation)
        }
    }
}

/// Gives each diagnostic to every listener.
final class DiagnosticsHub: Sendable {
    private struct State {
        var subscriptions: [WeakSubscription] = []
        var observers: [@Sendable (Diagnostic) -> Void] = []
        var observesDeliveries = false
        var isClosed = false
        /// How often the hub was opened again after a close.
        var epoch = 0
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
            state.epoch += 1
        }
    }

    /// The number of the current opening: a late ``close(_:)`` names the one that it means.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Ends every iteration, unless the hub was opened again since.
    func close(_ epoch: Int) {
        let subscriptions = state.withLock { state -> [WeakSubscription] in
            guard state.epoch == epoch else { return [] }
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
