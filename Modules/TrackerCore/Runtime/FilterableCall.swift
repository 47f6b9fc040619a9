import TrackerModels

/// A call that a program's own function may look at and change.
protocol FilterableCall: Sendable {
    /// The call as its model takes it.
    associatedtype Checked: Sendable

    /// What a log calls it: the name of an event, otherwise the method's.
    var name: String { get }
    /// The call as the function sees it.
    var outgoing: OutgoingCall { get }

    /// The same call with what the function has made of it. What it has left alone stays as it was given.
    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> Self

    /// The call as its model takes it, or why it is refused.
    func checked() -> Result<Checked, Refusal>
}
