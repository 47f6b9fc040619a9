import TrackerModels
import TrackerStorage

/// A call that has been checked, and what was known when it was made.
struct PendingCall<Call: Sendable>: Sendable {
    let call: Call
    let stamp: CallStamp
    /// Whether a function of the program has seen it (``CallFilter``).
    var isSeen = false
}
