package import TrackerModels
import TrackerStorage

/// A call to a basic tracker; every public form makes one.
package enum BasicCall: Hashable, Sendable {
    /// Something happened.
    case track(event: String, properties: Properties?)
    /// The user, with what is known of them, from now on.
    case identify(userId: String, traits: Properties?)
    /// A screen was shown.
    case screen(name: String, properties: Properties?)

    /// The name of the call in a log: an event's own, otherwise the method's.
    package var name: String {
        switch self {
        case .track(let event, _): event
        case .screen(let name, _): name
        case .identify: "identify"
        }
    }

    /// Checks the call, and returns its values as text; throws why it is refused.
    func checked() throws(Refusal) -> JSONText? {
        let (given, values, fault): (String, Properties?, Refusal) =
            switch self {
            case .track(let event, let values): (event, values, Refusal(.invalidEventName, "The event name is empty"))
            case .screen(let name, let values): (name, values, Refusal(.invalidEventName, "The screen's name is empty"))
            case .identify(let id, let data): (id, data, Refusal(.invalidUserId, "identify(): the user id is empty"))
            }
        guard !given.isBlank else { throw fault }
        return try values?.checked(for: name)
    }
}

/// The user that events are from, since the last `identify`.
struct BasicUser: Hashable, Sendable {
    var userId: String
    var traits: JSONText?
}

/// What a basic tracker remembers between its calls, and how they become events.
struct BasicModel: ClientModel {
    static let policy = ClientPolicy(beforeInitialize: .refuses, afterFailure: .keeps, movesQueue: true)

    var user: BasicUser?
    /// The keys of the identifications since the tracker last forgot its user.
    private var identified = RecentIDs()

    mutating func change(
        for call: BasicCall, _ stamp: CallStamp, under settings: BasicSettings
    ) throws(Refusal) -> LaneChange {
        let values = try call.checked()
        var user = user
        // A repeated identification changes nothing: others may have followed it. After a restart it counts again.
        let isRepeated = stamp.hasCallerKey && identified.contains(stamp.messageID)
        if case .identify(let userId, _) = call, !isRepeated { user = BasicUser(userId: userId, traits: values) }
        let body = Self.event(call, values, from: user, context: settings.context, at: stamp.time)
        guard body.byteCount <= settings.delivery.maxEventBytes else { throw Refusal(.tooLarge, of: call.name) }
        self.user = user
        if case .identify = call, stamp.hasCallerKey { identified.insert(stamp.messageID) }
        return .append(stamp.draft(.endpoint, .complete(body)))
    }

    mutating func forget() { self = BasicModel() }

    static func describe(_ snapshot: ClientSnapshot<BasicModel>, in info: inout JSONObject) {
        guard let settings = snapshot.run?.settings else {
            return info["lifecycle"] = snapshot.lifecycle == .disabled ? "disabled" : "idle"
        }
        info["lifecycle"] = snapshot.lifecycle == .halted ? "halted" : "ready"
        info["endpoint"] = .string(settings.endpoint)
        info["maxQueueSize"] = JSONValue(settings.delivery.maxQueuedEvents)
        info["userId"] = snapshot.model.user.map { .string($0.userId) } ?? .null
        var config = DebugInfo.describe(settings.options, BasicOptions.options)
        config["apiKey"] = .string(settings.apiKey.masked)
        config["appVersion"] = settings.appVersion.map(JSONValue.string) ?? .null
        config["delivery"] = .object(DebugInfo.describe(settings.delivery))
        info["config"] = .object(config)
    }

    /// The event of a call as it is sent; absent values are left out.
    private static func event(
        _ call: BasicCall, _ values: JSONText?, from user: BasicUser?, context: JSONText, at time: Timestamp
    ) -> JSONText {
        var event = JSONObjectWriter(reservingCapacity: 512)
        let (type, name, properties): (String, String?, JSONText?) =
            switch call {
            case .track(let name, _): ("track", name, values)
            case .screen(let name, _): ("screen", name, values)
            case .identify: ("identify", nil, nil)
            }
        event.append("type", type)
        if let name { event.append("name", name) }
        if let user {
            event.append("userId", user.userId)
            if let traits = user.traits { event.append("traits", traits) }
        }
        if let properties { event.append("properties", properties) }
        event.append("context", context)
        event.append("timestamp", time.description)
        return event.finish()
    }
}
