import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What an analytics client remembers between its calls, and how they become changes of its lane.
struct AnalyticsModel: ClientModel {
    static let name = "AnalyticsClient"
    static let policy = ClientPolicy(
        beforeInitialize: .holds(calls: InitOptions.memoryBound, bytes: DeliveryOptions().maxQueuedBytes),
        afterFailure: .isDisabled, movesQueue: .afterHalt, values: [.anonymousID, .userID, .groupID, .advertisingID],
        resetEndsRun: true)

    /// What the last `initialize` was given, valid or not.
    var options: InitOptions?
    /// Whether nothing is sent by itself.
    private(set) var isInBackground = false
    /// The last event of the runs before this one.
    private var lastEarlier: Int64 = 0

    func change(
        for call: CheckedAnalyticsCall, _ stamp: CallStamp, under settings: AnalyticsSettings
    ) throws(Refusal) -> LaneChange {
        let context =
            try call.own.map { (own) throws(Refusal) in try settings.context(with: own) } ?? settings.context
        // A call that names its own user changes nothing of the client's user.
        let changes = call.own?.namesPerson == true ? [] : call.call.changes
        guard let body = AnalyticsEvent.body(of: call, stamp, context: context) else {
            return .set(changes, messageID: stamp.hasCallerKey ? stamp.messageID : nil)
        }
        return .append(Draft(stamp, Draft.Content(.batch, .template(body), values: changes)))
    }

    mutating func opened(_ found: LaneState) -> [ModelEffect<GivenAnalyticsCall>] {
        lastEarlier = found.lastSequence
        return []
    }

    mutating func setInBackground(_ isInBackground: Bool) -> [ModelEffect<GivenAnalyticsCall>] {
        self.isInBackground = isInBackground
        return [.setInBackground(isInBackground)]
    }

    /// Events of an earlier run are due at once: they have waited long enough.
    func started(under _: AnalyticsSettings) -> [ModelEffect<GivenAnalyticsCall>] {
        isInBackground ? [.setInBackground(true)] : [.setInBackground(false), .makeDue(through: lastEarlier)]
    }

    static func weight(of call: CheckedAnalyticsCall) -> Int { call.weight }

    /// `<epochMillis>-<uuid>`, which is always a valid id.
    static func messageID(at time: Timestamp, _ ids: any IDGenerator) -> MessageID {
        var text = time.milliseconds.description
        text += "-"
        text += ids.uuid()
        return MessageID(accepted: text)
    }

    static func describe(_ snapshot: ClientSnapshot<AnalyticsModel>, in info: inout JSONObject) {
        if snapshot.lifecycle == .shutDown { info["lifecycle"] = "idle" }
        info["circuitState"] = .string(CircuitState.closed.rawValue)
        info["circuitRemainingMs"] = 0
        info["flushInFlight"] = false
        let isUsed = [.ready, .halted].contains(snapshot.lifecycle)
        for (name, key) in [("anonymousId", StoredKey.anonymousID), ("userId", .userID), ("groupId", .groupID)] {
            info[name] = isUsed ? snapshot.stored(key) : .null
        }
        info["lastError"] = .null
        (snapshot.run?.settings.options ?? snapshot.model.options)?.describe(in: &info)
        // The address and the key as they were read.
        if let run = snapshot.run {
            info["ingestionHost"] = .string(run.settings.base.description)
            info["writeKey"] = .string(run.settings.key.masked)
        }
    }
}

/// The user of the events. It is stored on disk, and each event gets it when it is committed.
extension StoredKey {
    /// The installation, before anyone is identified: a UUID.
    static let anonymousID = StoredKey.own("anonymous_id")
    static let userID = StoredKey.own("user_id")
    static let groupID = StoredKey.own("group_id")
    static let advertisingID = StoredKey.own("advertising_id")
}

extension AnalyticsCall {
    /// How the call changes the user, from its own event on.
    fileprivate var changes: [ValueChange] {
        switch self {
        case .identify(let userId, _), .alias(let userId): [ValueChange(.userID, userId)]
        case .group(let groupId, _): [ValueChange(.groupID, groupId)]
        case .setAdvertisingId(let id): [ValueChange(.advertisingID, id)]
        case .track, .screen, .page: []
        }
    }
}

extension InitOptions {
    /// Adds the options to a debug info, but for `context`: what it holds can be about a person.
    fileprivate func describe(in info: inout JSONObject) {
        let delivery = AnalyticsSettings.delivery(of: self)
        info["writeKey"] = .string(Secret(writeKey).masked)
        // One with a password is refused.
        info["ingestionHost"] = .string(ProxyURL(ingestionHost).masked)
        info["flushIntervalSeconds"] = JSONValue(flushIntervalSeconds)
        info["maxQueueEvents"] = JSONValue(delivery.maxQueuedEvents)
        var config = DebugInfo.describe(self, InitOptions.options)
        config["app"] = .object(app.debugInfo)
        config["delivery"] = .object(DebugInfo.describe(delivery))
        info["config"] = .object(config)
    }
}

extension AppInfo {
    fileprivate var debugInfo: JSONObject {
        JSONObject(
            [("name", name), ("version", version), ("build", build), ("namespace", namespace)]
                .map { ($0, $1.map(JSONValue.string) ?? .null) })
    }
}
