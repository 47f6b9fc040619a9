package import TrackerModels
import TrackerStorage

/// A call to a basic tracker; every public form makes one.
package enum BasicCall: Hashable, Sendable {
    case track(event: String, properties: Properties?)
    /// The user, with what is known of them, from now on.
    case identify(userId: String, traits: Properties?)
    case screen(name: String, properties: Properties?)

    /// What the call was given, as every kind of call has it.
    fileprivate var parts: (method: String, name: String?, userId: String?, values: Properties?) {
        switch self {
        case .track(let event, let properties): ("track", event, nil, properties)
        case .identify(let userId, let traits): ("identify", nil, userId, traits)
        case .screen(let name, let properties): ("screen", name, nil, properties)
        }
    }

    package var name: String { parts.name.flatMap { $0.isBlank ? nil : $0 } ?? parts.method }
}

extension BasicCall: FilterableCall {
    /// A call that is valid, with its values as text.
    typealias Checked = (call: BasicCall, values: JSONText?)

    func checked() -> Result<Checked, Refusal> {
        if parts.name?.isBlank == true { return .failure(Refusal(.invalidEventName)) }
        if parts.userId?.isBlank == true { return .failure(Refusal(.invalidUserId)) }
        return Result { () throws(Refusal) in (self, try parts.values?.checked()) }
    }

    var outgoing: OutgoingCall {
        OutgoingCall(method: parts.method, name: parts.name, userId: parts.userId, properties: parts.values?.members)
    }

    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> BasicCall {
        let values = new.values(\.properties, after: old, given: parts.values)
        return switch self {
        case .track: .track(event: new.name ?? "", properties: values)
        case .screen: .screen(name: new.name ?? "", properties: values)
        case .identify: .identify(userId: new.userId ?? "", traits: values)
        }
    }
}

/// What a basic tracker remembers between its calls, and how they become events.
struct BasicModel: ClientModel {
    typealias Given = BasicCall
    static let name = "BasicTracker"
    static let policy = ClientPolicy(beforeInitialize: .refuses, afterFailure: .keeps, movesQueue: .always)

    /// The user that events are from, since the last `identify`, and which call that was.
    var user: (userId: String, traits: JSONText?, call: Int)?
    /// The keys of the identifications since the tracker last forgot its user.
    private var identified = RecentIDs()

    mutating func change(
        for checked: BasicCall.Checked, _ stamp: CallStamp, under settings: BasicSettings
    ) throws(Refusal) -> LaneChange {
        let (call, values) = checked
        var user = user
        // A repeated identification changes nothing: others may have followed it. After a restart it counts again.
        let isRepeated = stamp.hasCallerKey && identified.contains(stamp.messageID)
        if case .identify(let userId, _) = call, !isRepeated { user = (userId, values, stamp.number) }
        let body = Self.event(call, values, from: user, context: settings.context, at: stamp.occurredAt)
        guard body.byteCount <= settings.delivery.maxEventBytes else { throw .tooLarge(under: settings.delivery) }
        self.user = user
        let isNoted = if case .identify = call { true } else { false }
        if isNoted, stamp.hasCallerKey { identified.insert(stamp.messageID) }
        return .append(Draft(stamp, Draft.Content(.endpoint, .complete(body)), isNoted: isNoted))
    }

    mutating func refused(_ call: Int, _ messageID: MessageID) {
        // The user that it names is the user all the same: what follows is theirs.
        if user?.call == call { user?.traits = nil }
        identified.remove(messageID)
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
        config["apiKey"] = .string(settings.key.masked)
        config["appVersion"] = settings.appVersion.map(JSONValue.string) ?? .null
        config["delivery"] = .object(DebugInfo.describe(settings.delivery))
        info["config"] = .object(config)
    }

    /// The event of a call as it is sent; absent values are left out.
    private static func event(
        _ call: BasicCall, _ values: JSONText?, from user: (userId: String, traits: JSONText?, call: Int)?,
        context: JSONText, at time: Timestamp
    ) -> JSONText {
        var event = JSONObjectWriter(reservingCapacity: 512)
        event.append("type", call.parts.method)
        if let name = call.parts.name { event.append("name", name) }
        if let user { event.append("userId", user.userId) }
        if let traits = user?.traits { event.append("traits", traits) }
        if call.parts.name != nil, let values { event.append("properties", values) }
        event.append("context", context)
        event.append("timestamp", time.description)
        return event.finish()
    }
}
