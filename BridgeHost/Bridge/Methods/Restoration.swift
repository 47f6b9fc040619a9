package import TrackerModels

/// What a call leaves in the memory of the host alone. After a crash a client in another language restores it, before it
/// makes the calls that have no answer: for each of the host's clients the consent, the setup and the user.
package enum Restoration: Hashable, Sendable {
    /// The client is set up: the call is made again.
    ///
    /// - Parameters:
    ///   - holdsAfter: The error after which, too, the client goes on, with what is tracked held back.
    ///   - again: What the configuration of a call that has succeeded says besides when it is made again.
    ///   - once: What the configuration lacks when it is made again, since it has taken effect.
    case setup(holdsAfter: TrackerError.Code? = nil, again: [String: String] = [:], once: [String] = [])
    /// Consent from before the setup, and consent of a client without a disk: later it is on disk.
    case consent
    /// The user, unless the call was dropped.
    ///
    /// - Parameter dropped: The reasons for a drop of what the client had checked: the user is the user all the same.
    case user(dropped: [RefusalReason])
    /// What the client is to go on with instead of what its setup says. It is made again before the setup, until another
    /// one succeeds.
    case credentials
    /// What every call of the client is given. The last one is made again before the setup, also after the client's end.
    case defaults
    /// The client has ended, and nothing of it is restored. Before the setup, which then applies it, the call is made again.
    case ends
    /// If its param `all` is true, the brand has ended: the client goes on, and its next setup may name another. Before the
    /// setup, which then applies it, the call is made again.
    case endsBrand
}
