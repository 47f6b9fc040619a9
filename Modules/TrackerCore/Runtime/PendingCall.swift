import TrackerModels

/// A call with what was known when it was made. A class, since it is handed on often and copied never.
final class PendingCall<Call: Sendable>: Sendable {
    let call: Call
    let name: String
    let stamp: CallStamp
    let weight: Int
    /// Whether a function of the program has seen it (``CallFilter``).
    let isSeen: Bool
    let caller: Caller

    init(call: Call, name: String, stamp: CallStamp, weight: Int, isSeen: Bool = false, caller: Caller) {
        self.call = call
        self.name = name
        self.stamp = stamp
        self.weight = weight
        self.isSeen = isSeen
        self.caller = caller
    }
}
