package import TrackerModels

/// A call to a basic tracker, as every form of it comes down to.
package enum BasicCall: Hashable, Sendable {
    /// Something happened.
    case track(event: String, properties: JSONText?)
    /// The user, with what is known of them, from now on.
    case identify(userId: String, traits: JSONText?)
    /// A screen was shown.
    case screen(name: String, properties: JSONText?)
    /// A call whose values JSON cannot hold.
    case unwritable(name: String, JSONConversionError)

    /// What the call is called in a log: an event by its name, an identification by the method's.
    package var name: String {
        switch self {
        case .track(let event, _): event
        case .screen(let name, _): name
        case .identify: "identify"
        case .unwritable(let name, _): name
        }
    }

    /// The call with these values, if JSON can hold them.
    init(_ name: String, _ values: Result<JSONText?, JSONConversionError>, _ call: (JSONText?) -> BasicCall) {
        switch values {
        case .success(let text): self = call(text)
        case .failure(let error): self = .unwritable(name: name, error)
        }
    }

    /// The call, if nothing speaks against it.
    func checked() throws(Refusal) -> BasicCall {
        switch self {
        case .track(let event, let properties):
            guard !event.isBlank else { throw Refusal(.invalidEventName, "The event name is empty") }
            return .track(event: event, properties: try CallValues.object(properties, of: name))
        case .screen(let screen, let properties):
            guard !screen.isBlank else { throw Refusal(.invalidEventName, "The screen's name is empty") }
            return .screen(name: screen, properties: try CallValues.object(properties, of: name))
        case .identify(let userId, let traits):
            guard !userId.isBlank else { throw Refusal(.invalidUserId, "identify(): the user id is empty") }
            return .identify(userId: userId, traits: try CallValues.object(traits, of: name))
        case .unwritable(let name, let error):
            throw Refusal(.serialization, "\(name): \(error)")
        }
    }
}
