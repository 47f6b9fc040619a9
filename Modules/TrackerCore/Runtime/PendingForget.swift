import TrackerModels
import TrackerStorage

/// A change of the list of persons to forget.
struct PendingForget: Sendable {
    enum Outcome: Sendable {
        case taken(ChangeResult)
        /// Nothing is tracked.
        case isOff
        /// There is no lane that could take it.
        case notInitialized
    }

    var change: LaneChange
    var completion: @Sendable (Outcome) -> Void
}
