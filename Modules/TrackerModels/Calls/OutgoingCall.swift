/// A tracking call, as a ``BeforeSend`` function of the program sees it before it is stored.
///
/// It holds the arguments of the call, which have been found valid. A member that the call does not have is `nil`, and
/// a value that you give to it has no effect.
public struct OutgoingCall: Hashable, Sendable {
    /// Which call: `track`, `identify`, `set`, `setMetadata`, `screen`, `screenDidAppear`, `updateLocation`,
    /// `updateSessionEmail`, `linkSession` or `continueSession`; of the other clients also `group`, `page`, `alias` and
    /// `setAdvertisingId`.
    public let method: String
    /// The name of an event, a screen or a page.
    public var name: String?
    /// The user of `identify` and `alias`.
    public var userId: String?
    /// The call's values: attributes, properties, traits, profile data, or the metadata of `setMetadata`.
    public var properties: JSONObject?
    /// The metadata of `track`.
    public var metadata: JSONObject?

    /// Describes a call.
    public init(
        method: String, name: String? = nil, userId: String? = nil, properties: JSONObject? = nil,
        metadata: JSONObject? = nil
    ) {
        self.method = method
        self.name = name
        self.userId = userId
        self.properties = properties
        self.metadata = metadata
    }
}

/// A function of the program that sees each tracking call before it is stored, and may change or drop it.
///
/// It runs on the thread that makes the call, before the call has its place in the queue, so it should return soon.
/// Return the call, changed or not, or `nil` to drop it: the outcome is ``RefusalReason/beforeSend`` then. If it
/// throws, the call is dropped in the same way, and a warning is logged. It may make calls itself; it sees these as
/// well.
public typealias BeforeSend = @Sendable (OutgoingCall) throws -> OutgoingCall?

/// What a configuration has that is no value: a place for messages, and a function.
///
/// Neither can be compared, so configurations that differ in nothing else are equal.
package struct ClientHooks: Hashable, Sendable {
    package var log: (any TrackerLog)?
    package var beforeSend: BeforeSend?

    package init(log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil) {
        self.log = log
        self.beforeSend = beforeSend
    }

    package static func == (lhs: ClientHooks, rhs: ClientHooks) -> Bool { true }

    package func hash(into _: inout Hasher) {}
}
