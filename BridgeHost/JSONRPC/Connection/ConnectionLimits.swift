/// What a connection takes from a client before the client must wait.
public struct ConnectionLimits: Hashable, Sendable {
    /// The longest message, in bytes.
    ///
    /// Longer ones are refused.
    public var maxMessageBytes = 16 << 20
    /// How many calls a batch may have.
    ///
    /// Larger ones are refused.
    public var maxBatchCalls = 100_000
    /// How many calls may be unanswered before reading pauses.
    public var maxUnansweredCalls = 4_096
    /// How many bytes unanswered calls may have before reading pauses.
    public var maxUnansweredBytes = 4 << 20
    /// How many calls that may answer late may be unanswered before reading pauses.
    public var maxLateCalls = 16_384
    /// How many bytes of answers may wait for the client to read them before reading pauses.
    ///
    /// The answer to one batch is bounded by it, too.
    public var maxUnreadBytes = 32 << 20
    /// How many bytes may wait for the client to read them before notifications are left out.
    public var maxBytesBeforeNotifications = 8 << 20
    /// How long it may take from the end of the input until the connection ends.
    public var shutdownTimeout = Duration.milliseconds(1_500)

    /// The usual limits.
    public init() {}
}
