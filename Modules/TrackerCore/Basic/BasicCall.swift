package import TrackerModels

/// A call to a basic tracker, as every form of it comes down to.
package enum BasicCall: Hashable, Sendable {
    /// Something happened.
    case track(event: String, properties: Properties?)
    /// The user, with what is known of them, from now on.
    case identify(userId: String, traits: Properties?)
    /// A screen was shown.
    case screen(name: String, properties: Properties?)

    /// What the call is called in a log: an event by its name, an identification by the method's.
    package var name: String {
        switch self {
        case .track(let event, _): event
        case .screen(let name, _): name
        case .identify: "identify"
        }
    }

    /// Checks the call.
    ///
    /// - Returns: Its values as text.
    /// - Throws: Why it is refused.
    func checked() throws(Refusal) -> JSONText? {
        switch self {
        case .track(let event, let properties):
            guard !event.isBlank else { throw Refusal(.invalidEventName, "The event name is empty") }
            return try properties?.checked(for: name)
        case .screen(let screen, let properties):
            guard !screen.isBlank else { throw Refusal(.invalidEventName, "The screen's name is empty") }
            return try properties?.checked(for: name)
        case .identify(let userId, let traits):
            guard !userId.isBlank else { throw Refusal(.invalidUserId, "identify(): the user id is empty") }
            return try traits?.checked(for: name)
        }
    }
}
