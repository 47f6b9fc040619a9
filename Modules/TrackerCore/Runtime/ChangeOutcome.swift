import TrackerModels
import TrackerStorage

/// What became of a reset or a decision.
enum ChangeOutcome: Hashable, Sendable {
    /// The lane has taken it. If the disk refuses it, it holds in memory, and is written once the disk can be written.
    case taken(ChangeResult)
    /// It is kept in memory for the next `initialize`.
    case kept

    /// Why it is not on disk.
    var error: StorageError? { if case .failed(let error) = effect { error } else { nil } }

    var effect: ChangeResult.Effect? { if case .taken(let result) = self { result.effect } else { nil } }
}
