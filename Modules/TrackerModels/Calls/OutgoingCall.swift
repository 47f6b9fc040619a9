/// A tracking call, as a ``BeforeSend`` function of the program sees it before it is stored.
///
/// It holds all of the call that leaves the machine: its arguments, and the options of an analytics call. They have been
/// found valid, and what you make of them is checked again. A member that the call does not have is `nil`. One that it
/// cannot do without, such as the name of an event, drops the call if you remove it. A member that such a call never has,
/// such as a location in `track`, has no effect.
public struct OutgoingCall: Hashable, Sendable {
    /// Which call: `track`, `identify`, `set`, `setMetadata`, `screen`, `screenDidAppear`, `updateLocation`,
    /// `updateSessionEmail`, `linkSession` or `continueSession`; of the other clients also `group`, `page`, `alias` and
    /// `setAdvertisingId`.
    public let method: String
    /// The name of an event, a screen or a page.
    public var name: String?
    /// The user of `identify` and `alias`, and the one that the options of an analytics call name.
    ///
    /// If you remove this and ``anonymousId`` from a call that names its user, here or in its ``scope``, the call is
    /// dropped: it would be about the client's own user.
    public var userId: String?
    /// The visitor whom the options of an analytics call name.
    public var anonymousId: String?
    /// The group of `group`, and the one that the options of an analytics call name.
    ///
    /// If you remove it from a call that names no user, the call is dropped: it would be about the client's own group.
    public var groupId: String?
    /// The call's values: attributes, properties, traits, profile data, or the metadata of `setMetadata`.
    public var properties: JSONObject?
    /// The metadata of `track`.
    public var metadata: JSONObject?
    /// What the options of an analytics call merge over the client's context.
    public var context: JSONObject?
    /// When it happened, if the options of an analytics call say so.
    public var timestamp: Timestamp?
    /// The identifier of `setAdvertisingId`; `nil` clears it.
    public var advertisingId: String?
    /// The address of `updateSessionEmail`.
    public var email: String?
    /// The URL of `screenDidAppear` and `continueSession`.
    public var url: String?
    /// The place of `updateLocation`.
    public var location: LocationData?
    /// The session of `linkSession`.
    public var sourceSessionId: String?
    /// What the scope around an analytics call gives it. The members above are the call's own, and win over it.
    public var scope: AnalyticsScope?

    /// Describes a call.
    public init(
        method: String, name: String? = nil, userId: String? = nil, anonymousId: String? = nil, groupId: String? = nil,
        properties: JSONObject? = nil, metadata: JSONObject? = nil, context: JSONObject? = nil,
        timestamp: Timestamp? = nil, advertisingId: String? = nil, email: String? = nil, url: String? = nil,
        location: LocationData? = nil, sourceSessionId: String? = nil,
        scope: AnalyticsScope? = nil
    ) {
        self.method = method
        self.name = name
        self.userId = userId
        self.anonymousId = anonymousId
        self.groupId = groupId
        self.properties = properties
        self.metadata = metadata
        self.context = context
        self.timestamp = timestamp
        self.advertisingId = advertisingId
        self.email = email
        self.url = url
        self.location = location
        self.sourceSessionId = sourceSessionId
        self.scope = scope
    }
}

/// A function of the program that sees each tracking call before it is stored, and may change or drop it.
///
/// It runs on the thread that makes the call, before the call has its place in the queue, so it should return soon.
/// Return the call, changed or not, or `nil` to drop it: the outcome is ``RefusalReason/beforeSend`` then. If it
/// throws, the call is dropped in the same way, and a warning is logged. It may make calls itself; it sees these as
/// well.
public typealias BeforeSend = @Sendable (OutgoingCall) throws -> OutgoingCall?
