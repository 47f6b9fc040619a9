import TrackerModels
import TrackerStorage

/// A reset or a decision.
struct PendingChange: Sendable {
    var change: LaneChange
    /// The key that its caller chose.
    var messageID: MessageID?
    /// Set on a reset that was made in a process which died.
    var repetition: CallRepetition?
    /// Its own key, under which it is staged if it may be staged twice.
    var ownID: MessageID
    var completion: @Sendable (ChangeOutcome) -> Void

    /// The change under the caller's key, or at least under one of its own.
    var keyed: LaneChange {
        let key = messageID ?? ownID
        return switch change {
        case .reset(let all, _): .reset(all: all, messageID: key)
        case .consent(let consent, _): .consent(consent, messageID: key)
        default: change
        }
    }
}
