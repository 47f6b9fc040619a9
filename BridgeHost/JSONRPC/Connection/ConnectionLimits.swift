/// What a connection takes from a client before the client must wait.
package struct ConnectionLimits: Hashable, Sendable {
    /// The longest message, in bytes.
    ///
    /// Longer ones are refused.
    package var maxMessageBytes = 16 << 20
    /// How many calls a batch may have.
    ///
    /// Larger ones are refused.
    package var maxBatchCalls = 100_000
    /// How many calls may be unanswered before reading pauses.
    package var maxUnansweredCalls = 4_096
    /// How many bytes unanswered calls may have before reading pauses.
    package var maxUnansweredBytes = 4 << 20
    /// How many calls that may answer late may be unanswered before reading pauses.
    package var maxLateCalls = 16_384
    /// How many bytes of answers may wait for the client to read them before reading pauses.
    ///
    /// The answer to one batch is bounded by it, too.
    package var maxUnreadBytes = 32 << 20
    /// How many bytes may wait for the client to read them before notifications are left out.
    package var maxBytesBeforeNotifications = 8 << 20
    /// How long it may take from the end of the input until the connection ends.
    package var shutdownTimeout = Duration.milliseconds(1_500)
    /// The part of it that is kept for the writing of the last answers.
    private static let writingShare = 10

    package init() {}

    /// When answers must be ready to be written before a connection ends.
    func answersDeadline(_ end: ContinuousClock.Instant) -> ContinuousClock.Instant {
        end - shutdownTimeout / Self.writingShare
    }
}
