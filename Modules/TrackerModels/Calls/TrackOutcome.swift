/// What became of a tracking call.
public enum TrackOutcome: Hashable, Sendable {
    /// The call is on disk and on its way: it outlives a crash, and is delivered at least once, in order. It has *not*
    /// been sent yet.
    case queued(MessageID)
    /// The call is on disk as well. It waits for a session, for consent, or for halted delivery to resume.
    case pending(MessageID)
    /// The call was refused, and nothing of it is stored or sent.
    case dropped(RefusalReason)

    /// The call's message id, unless it was refused.
    public var messageID: MessageID? {
        switch self {
        case .queued(let id), .pending(let id): id
        case .dropped: nil
        }
    }
}
