import TrackerCore
public import TrackerModels

/// A call that a program under test has made, and what became of it.
///
/// It has every member of an ``OutgoingCall``: those that the call was made with, after `beforeSend`. The ids of an
/// analytics event and its context are those that the event would be sent with.
@dynamicMemberLookup
public struct RecordedCall: Hashable, Sendable, CustomStringConvertible {
    /// The client that a call was made to.
    public enum Client: String, Hashable, Sendable, CaseIterable {
        /// `MobileTracker`.
        case tracker
        /// `AnalyticsClient`.
        case analytics
        /// `BasicTracker`.
        case basic
    }

    /// Whose call it is.
    public let client: Client
    /// The call.
    public private(set) var call: OutgoingCall
    /// What became of it. It is `nil` as long as the call waits for its client to be initialised.
    public private(set) var outcome: TrackOutcome?
    /// The event as it was queued, with what the client adds; `nil` if there is none.
    package private(set) var event: JSONObject?

    init(_ call: OutgoingCall, of client: Client) {
        self.call = call
        self.client = client
    }

    /// A member of the call.
    public subscript<Value>(dynamicMember path: KeyPath<OutgoingCall, Value>) -> Value { call[keyPath: path] }

    /// What became of the call is known.
    ///
    /// - Parameter event: The event as it was queued, if it was.
    mutating func settle(_ call: OutgoingCall, _ outcome: TrackOutcome, event: JSONText?) {
        self.call = call
        self.outcome = outcome
        self.event = event.flatMap { JSONValue($0).objectValue }
        guard client != .tracker, let event else { return }
        self.call.userId = event.value(forKey: "userId")?.stringValue
        guard client == .analytics else { return }
        self.call.anonymousId = event.value(forKey: "anonymousId")?.stringValue
        self.call.groupId = event.value(forKey: "groupId")?.stringValue
        self.call.context = event.value(forKey: "context").flatMap { JSONValue($0).objectValue }
        // With those of the scope around it and of the defaults.
        if let values = event.value(forKey: "properties") { self.call.properties = JSONValue(values).objectValue }
    }

    /// What a test calls it by: the name of an event, a screen or a page, else the method.
    package var title: String { call.name ?? call.method }

    /// The values that it was given: metadata count after properties, as they do on the wire.
    var values: JSONObject {
        var values = call.properties ?? [:]
        if let metadata = call.metadata { values.merge(metadata) }
        return values
    }

    /// A line such as `analytics.track "Order Completed" {"total":149.99}`.
    public var description: String {
        var text = client == .tracker ? call.method : "\(client.rawValue).\(call.method)"
        if let name = call.name { text += " \(JSONValue.string(name))" }
        if call.properties != nil || call.metadata != nil { text += " \(JSONValue.object(values).shown)" }
        return text
    }

    /// The members that a call may have as an object, besides its name and its properties.
    package static let members = [
        "client", "method", "userId", "anonymousId", "groupId", "timestamp", "advertisingId", "email", "url",
        "sourceSessionId", "metadata", "context", "location", "outcome",
    ]

    /// The call as an object: `client`, `method`, the members that it has, and `outcome`.
    package var json: JSONObject {
        var json: JSONObject = ["client": .string(client.rawValue), "method": .string(call.method)]
        let texts = [
            ("name", call.name), ("userId", call.userId), ("anonymousId", call.anonymousId), ("groupId", call.groupId),
            ("timestamp", call.timestamp?.description), ("advertisingId", call.advertisingId), ("email", call.email),
            ("url", call.url), ("sourceSessionId", call.sourceSessionId),
        ]
        for (name, text) in texts { json[name] = text.map { .string($0) } }
        for (name, object) in [("properties", call.properties), ("metadata", call.metadata), ("context", call.context)]
        {
            json[name] = object.map { .object($0) }
        }
        json["location"] = call.location.map { location in
            [
                "latitude": JSONValue(location.latitude), "longitude": JSONValue(location.longitude),
                "accuracy": JSONValue(location.accuracy),
            ]
        }
        json["outcome"] = outcome.map { .object($0.json) } ?? .null
        return json
    }
}

extension TrackOutcome {
    /// The outcome under the names that it has over the bridge.
    fileprivate var json: JSONObject {
        switch self {
        case .queued(let id): ["status": "queued", "messageId": .string(id.text)]
        case .pending(let id): ["status": "pending", "messageId": .string(id.text)]
        case .dropped(let reason): ["status": "dropped", "reason": .string(reason.rawValue)]
        }
    }
}

extension JSONValue {
    /// The value as it is shown in a sentence, cut if it is long.
    var shown: String {
        let text = description
        return text.count > 200 ? "\(text.prefix(200))…" : text
    }
}
