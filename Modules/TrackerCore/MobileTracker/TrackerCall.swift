public import TrackerModels

/// A tracking call as a value, for ``MobileTrackerInterface/enqueue(_:messageId:)``.
///
/// ```swift
/// MobileTracker.shared.enqueue(.track("PURCHASE", ["total": 149.99]))
/// ```
///
/// Each has a function of the same name, which says what it does and takes.
public enum TrackerCall: Hashable, Sendable {
    /// An event.
    case track(String, Properties? = nil, metadata: Properties? = nil)
    /// The user is known by this id from now on. The function of this name also takes whole numbers and UUIDs.
    case identify(userId: String, Properties? = nil)
    /// Facts about the user, without a change of who that is.
    case set(Properties)
    /// Metadata of the session, which later events carry.
    case setMetadata(Properties)
    /// A screen was shown.
    case screen(String, Properties? = nil)
    /// A screen was shown: the first of several in a row for the same one.
    case screenDidAppear(String, url: String? = nil, properties: Properties? = nil)
    /// Where the device is.
    case updateLocation(LocationData)
    /// The email address of the session.
    case updateSessionEmail(String)
    /// Another session of the same visitor belongs to this one, by its id.
    case linkSession(String)
    /// The session goes on from that of another site, whose link has led here.
    case continueSession(from: String)

    package var name: String {
        switch self {
        case .track(let eventName, _, _): eventName.isEmpty ? "track" : eventName
        case .identify: "identify"
        case .set: "set"
        case .setMetadata: "setMetadata"
        case .screen, .screenDidAppear: "VIEW_PAGE"
        case .updateLocation: "updateLocation"
        case .updateSessionEmail: "updateSessionEmail"
        case .linkSession: "linkSession"
        case .continueSession: "continueSession"
        }
    }
}

extension TrackerCall: FilterableCall {
    var outgoing: OutgoingCall {
        switch self {
        case .track(let name, let attributes, let metadata):
            OutgoingCall(method: "track", name: name, properties: attributes?.members, metadata: metadata?.members)
        case .identify(let user, let profile):
            OutgoingCall(method: "identify", userId: user, properties: profile?.members)
        case .set(let profile): OutgoingCall(method: "set", properties: profile.members)
        case .setMetadata(let metadata): OutgoingCall(method: "setMetadata", properties: metadata.members)
        case .screen(let name, let values): OutgoingCall(method: "screen", name: name, properties: values?.members)
        case .screenDidAppear(let name, let url, let values):
            OutgoingCall(method: "screenDidAppear", name: name, properties: values?.members, url: url)
        case .updateLocation(let location): OutgoingCall(method: "updateLocation", location: location)
        case .updateSessionEmail(let email): OutgoingCall(method: "updateSessionEmail", email: email)
        case .linkSession(let session): OutgoingCall(method: "linkSession", sourceSessionId: session)
        case .continueSession(let url): OutgoingCall(method: "continueSession", url: url)
        }
    }

    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> TrackerCall {
        func values(_ given: Properties?) -> Properties? { new.values(\.properties, after: old, given: given) }

        switch self {
        case .track(_, let attributes, let metadata):
            return .track(
                new.name ?? "", values(attributes), metadata: new.values(\.metadata, after: old, given: metadata))
        case .identify(_, let profile): return .identify(userId: new.userId ?? "", values(profile))
        case .set(let profile): return .set(values(profile) ?? [:])
        case .setMetadata(let metadata): return .setMetadata(values(metadata) ?? [:])
        case .screen(_, let properties): return .screen(new.name ?? "", values(properties))
        case .screenDidAppear(_, _, let properties):
            return .screenDidAppear(new.name ?? "", url: new.url, properties: values(properties))
        case .updateLocation: return .updateLocation(new.location ?? .nowhere)
        case .updateSessionEmail: return .updateSessionEmail(new.email ?? "")
        case .linkSession: return .linkSession(new.sourceSessionId ?? "")
        case .continueSession: return .continueSession(from: new.url ?? "")
        }
    }
}

extension LocationData {
    /// What no call takes: the place of a call from which it was removed.
    fileprivate static let nowhere = LocationData(latitude: .nan, longitude: .nan, accuracy: .nan)
}

extension TrackerCall {
    /// The call that ``MobileTrackerInterface/identify(userId:profileData:messageId:)-(_,Properties?,_)`` makes.
    public static func identify(_ userId: some IDValue, _ profileData: Properties? = nil) -> TrackerCall {
        .identify(userId: userId.idText, profileData)
    }
}

/// The calls with dictionaries of any values.
extension TrackerCall {
    /// The call `track`, with values in `[String: Any]`.
    @_disfavoredOverload
    public static func track(
        _ eventName: String, _ attributes: [String: Any]?, metadata: [String: Any]? = nil
    ) -> TrackerCall {
        .track(eventName, attributes.map { Properties($0) }, metadata: metadata.map { Properties($0) })
    }

    /// The call `identify`, with values in `[String: Any]`.
    @_disfavoredOverload
    public static func identify(_ userId: some IDValue, _ profileData: [String: Any]?) -> TrackerCall {
        .identify(userId, profileData.map { Properties($0) })
    }

    /// The call `set`, with values in `[String: Any]`; `nil` counts as an empty one.
    @_disfavoredOverload
    public static func set(_ profileData: [String: Any]?) -> TrackerCall { .set(Properties(profileData ?? [:])) }

    /// The call `setMetadata`, with values in `[String: Any]`; `nil` counts as an empty one.
    @_disfavoredOverload
    public static func setMetadata(_ metadata: [String: Any]?) -> TrackerCall {
        .setMetadata(Properties(metadata ?? [:]))
    }

    /// The call `screen`, with values in `[String: Any]`.
    @_disfavoredOverload
    public static func screen(_ name: String, _ properties: [String: Any]?) -> TrackerCall {
        .screen(name, properties.map { Properties($0) })
    }

    /// The call `screenDidAppear`, with values in `[String: Any]`.
    @_disfavoredOverload
    public static func screenDidAppear(
        _ name: String, url: String? = nil, properties: [String: Any]?
    ) -> TrackerCall {
        .screenDidAppear(name, url: url, properties: properties.map { Properties($0) })
    }
}
