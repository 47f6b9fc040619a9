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

/// What became of a call that is made once more, since the process that had it died.
package enum CallRepetition: String, CaseIterable, Sendable {
    /// It may have taken effect. A reset ends in either case what it ends, which is set up again here.
    case unanswered
    /// It took effect. This process is brought to where the other one was, and nothing is written.
    case answered
}

/// What became of a reset or a decision.
enum ChangeOutcome: Hashable, Sendable {
    /// The lane has taken it. If the disk refuses it, it holds in memory, and is written once the disk can be written.
    case taken(ChangeResult)
    /// It is kept in memory for the next `initialize`.
    case kept

    /// Why it is not on disk.
    var error: StorageError? { if case .taken(.failed(let error)) = self { error } else { nil } }
}
