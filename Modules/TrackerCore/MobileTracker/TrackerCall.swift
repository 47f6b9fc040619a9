public import TrackerModels

/// A tracking call as a value, for ``MobileTracker/enqueue(_:messageId:)``.
///
/// ```swift
/// MobileTracker.shared.enqueue(.track("PURCHASE", ["total": 149.99]))
/// ```
public struct TrackerCall: Hashable, Sendable {
    /// What is called, and with what.
    enum Kind: Hashable, Sendable {
        case track(eventName: String, attributes: Properties?, metadata: Properties?)
        case identify(userId: String, profile: Properties?)
        case set(profile: Properties)
        case setMetadata(Properties)
        case screen(name: String, properties: Properties?)
        case screenDidAppear(name: String, url: String?, properties: Properties?)
        case updateLocation(LocationData)
        case updateSessionEmail(String)
        case linkSession(String)
        case continueSession(url: String)
    }

    let kind: Kind

    /// The name of the call in a log: an event's own, otherwise the method's.
    package var name: String {
        switch kind {
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

/// The calls, as ``MobileTracker`` describes them.
extension TrackerCall {
    /// As ``MobileTracker/track(eventName:attributes:metadata:messageId:)-(_,Properties?,_,_)``.
    public static func track(
        _ eventName: String, _ attributes: Properties? = nil, metadata: Properties? = nil
    ) -> TrackerCall {
        TrackerCall(kind: .track(eventName: eventName, attributes: attributes, metadata: metadata))
    }

    /// As ``MobileTracker/identify(userId:profileData:messageId:)-(_,Properties?,_)``.
    public static func identify(_ userId: String, _ profileData: Properties? = nil) -> TrackerCall {
        TrackerCall(kind: .identify(userId: userId, profile: profileData))
    }

    /// As ``MobileTracker/set(profileData:messageId:)-(Properties,_)``.
    public static func set(_ profileData: Properties) -> TrackerCall { TrackerCall(kind: .set(profile: profileData)) }

    /// As ``MobileTracker/setMetadata(_:messageId:)-(Properties,_)``.
    public static func setMetadata(_ metadata: Properties) -> TrackerCall { TrackerCall(kind: .setMetadata(metadata)) }

    /// As ``MobileTracker/screen(name:properties:messageId:)-(_,Properties?,_)``.
    public static func screen(_ name: String, _ properties: Properties? = nil) -> TrackerCall {
        TrackerCall(kind: .screen(name: name, properties: properties))
    }

    /// As ``MobileTracker/screenDidAppear(name:url:properties:messageId:)-(_,_,Properties?,_)``.
    public static func screenDidAppear(
        _ name: String, url: String? = nil, properties: Properties? = nil
    ) -> TrackerCall {
        TrackerCall(kind: .screenDidAppear(name: name, url: url, properties: properties))
    }

    /// As ``MobileTracker/updateLocation(_:messageId:)``.
    public static func updateLocation(_ location: LocationData) -> TrackerCall {
        TrackerCall(kind: .updateLocation(location))
    }

    /// As ``MobileTracker/updateSessionEmail(_:messageId:)``.
    public static func updateSessionEmail(_ email: String) -> TrackerCall {
        TrackerCall(kind: .updateSessionEmail(email))
    }

    /// As ``MobileTracker/linkSession(_:messageId:)``.
    public static func linkSession(_ sourceSessionId: String) -> TrackerCall {
        TrackerCall(kind: .linkSession(sourceSessionId))
    }

    /// As ``MobileTracker/continueSession(from:messageId:)``.
    public static func continueSession(from url: String) -> TrackerCall {
        TrackerCall(kind: .continueSession(url: url))
    }
}

/// The calls with dictionaries of any values.
extension TrackerCall {
    /// The same with dictionaries of any values.
    @_disfavoredOverload
    public static func track(
        _ eventName: String, _ attributes: [String: Any]?, metadata: [String: Any]? = nil
    ) -> TrackerCall {
        .track(eventName, attributes.map { Properties($0) }, metadata: metadata.map { Properties($0) })
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    public static func identify(_ userId: String, _ profileData: [String: Any]?) -> TrackerCall {
        .identify(userId, profileData.map { Properties($0) })
    }

    /// The same with a dictionary of any values; `nil` is an empty one.
    @_disfavoredOverload
    public static func set(_ profileData: [String: Any]?) -> TrackerCall { .set(Properties(profileData ?? [:])) }

    /// The same with a dictionary of any values; `nil` is an empty one.
    @_disfavoredOverload
    public static func setMetadata(_ metadata: [String: Any]?) -> TrackerCall {
        .setMetadata(Properties(metadata ?? [:]))
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    public static func screen(_ name: String, _ properties: [String: Any]?) -> TrackerCall {
        .screen(name, properties.map { Properties($0) })
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    public static func screenDidAppear(
        _ name: String, url: String? = nil, properties: [String: Any]?
    ) -> TrackerCall {
        .screenDidAppear(name, url: url, properties: properties.map { Properties($0) })
    }
}

/// A place on earth.
public struct LocationData: Hashable, Sendable {
    /// Degrees north, from -90 to 90.
    public let latitude: Double
    /// Degrees east, from -180 to 180.
    public let longitude: Double
    /// The radius of uncertainty in metres, at least 0.
    public let accuracy: Double

    /// Describes a place; the call that takes it checks the ranges.
    public init(latitude: Double, longitude: Double, accuracy: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }

    /// Whether every number is within its range.
    public var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude) && accuracy >= 0 && accuracy.isFinite
    }
}
