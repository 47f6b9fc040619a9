import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Something that the delivery of a lane came to.
enum DeliveryEvent: Sendable {
    case retried(Plan, Answer, String)
    case dropped([Record], DropReason, String)
    /// The server refuses to take the user of a session; the records go on.
    case unidentified(Plan, String)
    case sessionMade(SessionID)
    /// Something else may have changed the lane's session, which is this one now.
    case sessionChanged(SessionID?)
    case halted(Halt)
    case disabled(Halt)
    /// The lane is empty, or the engine ends.
    case idle
}

/// The instant of a decision, by all the clocks there are.
struct ClockReading: Hashable, Sendable {
    var now: MonotonicInstant
    var wall: Timestamp
    var uptime: Duration
}
