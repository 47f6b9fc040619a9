import TrackerModels
import TrackerNetworking
import TrackerStorage

/// An event in the delivery of a lane.
enum DeliveryEvent: Sendable {
    case retried(Plan, Answer, String)
    case dropped([Record], DropReason, String)
    /// The server refuses the user of a session; the records are sent all the same.
    case unidentified(Plan, String)
    case sessionMade(SessionID)
    /// The lane's session may have changed, and is this one now.
    case sessionChanged(SessionID?)
    /// The server answers 401 to the session for which `initialize` waits: other credentials may be had.
    case unauthorized
    /// The server refuses the key or the address. The next try comes after so long; `nil`: with other credentials. `asks`
    /// says whether to ask for these first.
    case halted(String, nextTry: Duration?, asks: Bool)
    case disabled(String)
    /// After a halt the client has other credentials, or the server is well again.
    case resumed
    /// This process delivers the lane from now on, or another one does.
    case deliversHere(Bool)
    /// The queue grows although deliveries succeed.
    case grows(QueueGrowth.Warning)
    /// The lane is empty, or the engine ends.
    case idle
}
