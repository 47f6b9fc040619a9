import TrackerStorage

extension MobileTracker {
    /// Does something when every call accepted before has taken effect.
    ///
    /// A reset that is still on its way to the disk would otherwise not be seen. Nothing waits for the network.
    ///
    /// - Parameter body: Run once, at once if there is nothing to wait for. Must not block.
    package func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) {
        guard let lane else { return body() }
        lane.outbox.stage(.barrier) { _ in body() }
    }
}
