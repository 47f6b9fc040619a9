import TrackerModels
import TrackerStorage

/// What a dialect wants done next.
enum Intention: Sendable {
    case send(Plan)
    /// Change the lane first, and ask again once that is on disk.
    case change([LaneChange])
    /// These can never be sent.
    case drop([Record], DropReason, String)
    /// Nothing is due before that instant.
    case hold(until: MonotonicInstant)
    /// There is nothing to send.
    case rest
    /// There is something that may not be sent.
    case blocked(StopReason)
}
