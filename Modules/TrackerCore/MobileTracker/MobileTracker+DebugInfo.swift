import Synchronization
public import TrackerModels
import TrackerNetworking
import TrackerStorage

extension MobileTracker {
    /// How things stand: queue, session, circuit, account, configuration. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle`, `queueLength`, `queueBytes`, `oldestQueuedMs`, `circuitState`,
    /// `circuitRemainingMs`, `flushInFlight`, `sessionId`, `deviceId`, `consent`, `account`, `refused`,
    /// `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`, `storage`, `delivering`, `otherLanes`, `config`.
    public func debugInfo() -> JSONObject {
        let (current, refused, lifecycle) = state.withLock { ($0.current, $0.refused, $0.lifecycle) }
        var info: JSONObject = ["lifecycle": .string(lifecycle)]
        guard let (settings, lane) = current else {
            info["queueLength"] = 0
            info["refused"] = DebugInfo.counts(refused)
            return info
        }
        info["brandId"] = brandId.map(JSONValue.string) ?? .null
        info["sessionId"] = sessionId.map(JSONValue.string) ?? .null
        info["deviceId"] = deviceId.map(JSONValue.string) ?? .null
        DebugInfo.describe(lane, at: dependencies.clock.wall, in: &info)
        info["refused"] = DebugInfo.counts(refused)
        info["config"] = .object(settings.debugInfo)
        return info
    }
}

extension MobileTracker.State {
    fileprivate var lifecycle: String {
        switch phase {
        case .notInitialized: "idle"
        case .initializing: "initializing"
        case .ready(_, let lane): lane.engine.isHalted ? "halted" : "ready"
        case .withoutSession: "withoutSession"
        case .shutDown: "shutDown"
        }
    }
}

extension TrackerSettings {
    fileprivate var debugInfo: JSONObject {
        [
            "apiUrl": .string(base.description),
            "xApiKey": .string(apiKey.masked),
            "debug": .bool(config.debug),
            "crossSiteCookie": .bool(config.crossSiteCookie),
            "cookieDomain": config.cookieDomain.map(JSONValue.string) ?? .null,
            "cookieExpiration": JSONValue(config.cookieExpiration),
            "sessionCreation": .string(config.sessionCreation.rawValue),
            "initTimeoutMs": DebugInfo.milliseconds(config.initTimeout),
            "consent": .string(config.consent.rawValue),
            "device": ["osName": .string(device.osName), "deviceType": .string(device.deviceType)],
            "initialScreen": config.initialScreen.map { screen in
                ["name": .string(screen.name), "url": .string(screen.url ?? screen.name)]
            } ?? .null,
            "maxPendingEvents": config.maxPendingEvents.map { JSONValue($0) } ?? .null,
            "delivery": .object(DebugInfo.describe(config.delivery)),
        ]
    }
}

/// What the clients' debug infos have in common.
enum DebugInfo {
    /// Adds what a lane and its engine tell.
    static func describe(_ lane: OpenLane, at wall: Timestamp, in info: inout JSONObject) {
        let engine = lane.engine.snapshot
        do throws(StorageError) {
            let state = try lane.outbox.state()
            let account = try lane.outbox.account()
            info["consent"] = .string(state.consent.rawValue)
            info["queueLength"] = JSONValue(account.queued)
            info["queueBytes"] = JSONValue(state.queuedBytes)
            info["oldestQueuedMs"] =
                state.oldestOccurredAt.map { JSONValue(Int(max(0, wall.milliseconds - $0.milliseconds))) } ?? .null
            info["account"] = .object(describe(account))
            info["bytesBeforeCompression"] = JSONValue(account.bytes.before)
            info["bytesAfterCompression"] = JSONValue(account.bytes.after)
            info["storage"] = .string(state.isAwaitingDisk ? "awaitingDisk" : state.writeFailure?.message ?? "ok")
            info["otherLanes"] = .array(
                try lane.outbox.strandedLanes().map { stranded in
                    ["origin": .string(stranded.identity.origin), "queueLength": JSONValue(stranded.records)]
                })
        } catch {
            info["storage"] = .string(error.message)
        }
        info["circuitState"] = .string(engine.circuit.rawValue)
        info["circuitRemainingMs"] = milliseconds(lane.engine.circuitRemaining)
        info["flushInFlight"] = .bool(engine.requestsInFlight > 0)
        info["delivering"] = .string(engine.isElsewhere ? "elsewhere" : engine.isDelivering ? "here" : "waiting")
        info["lastError"] =
            engine.lastError.map { ["message": .string($0.message), "at": .string($0.at.description)] } ?? .null
    }

    /// An account, each term by its name.
    static func describe(_ account: Account) -> JSONObject {
        var dropped = JSONObject()
        for (reason, count) in account.dropped.sorted(by: { $0.key.description < $1.key.description }) {
            dropped[reason.description] = JSONValue(count)
        }
        return [
            "accepted": JSONValue(account.accepted), "recovered": JSONValue(account.recovered),
            "delivered": JSONValue(account.delivered), "queued": JSONValue(account.queued),
            "dropped": .object(dropped),
        ]
    }

    /// Calls refused at the door, by reason.
    static func counts(_ refused: [RefusalReason: Int]) -> JSONValue {
        var counts = JSONObject()
        for (reason, count) in refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            counts[reason.rawValue] = JSONValue(count)
        }
        return .object(counts)
    }

    /// The delivery options.
    static func describe(_ options: DeliveryOptions) -> JSONObject {
        var info = JSONObject()
        for option in DeliveryOptions.all { info[option.key] = option.value(in: options)?.json ?? .null }
        if let proxy = options.proxy { info["proxy"] = .string(masked(proxy: proxy)) }
        return info
    }

    /// A proxy's URL with its password masked.
    static func masked(proxy: String) -> String {
        let start = proxy.place(of: "://")?.upperBound ?? proxy.startIndex
        let authority = proxy[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
            return proxy
        }
        let password = Secret(String(authority[authority.index(after: colon)..<at]))
        return proxy[...colon] + password.masked + proxy[at...]
    }

    /// A duration in whole milliseconds.
    static func milliseconds(_ duration: Duration) -> JSONValue {
        JSONValue(Int(duration / .milliseconds(1)))
    }
}
