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
