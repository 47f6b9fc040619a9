import TrackerModels

/// A flush that has its deadline from the call on.
struct PendingFlush: Sendable {
    /// By the monotonic clock.
    var deadline: Duration
    /// The number of the last call before it.
    var lastCall = Int.max
    var cutoff: FlushCutoff?
    var completion: @Sendable (FlushReport) -> Void
    /// Raised when the flush begins, or when it ends without that. The first to raise it answers the flush.
    let hasBegun = Flag(false)
}
