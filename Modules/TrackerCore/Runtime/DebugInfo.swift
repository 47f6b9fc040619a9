import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension ClientRuntime {
    /// The debug information: what all clients have, and what this one adds.
    var debugInfo: JSONObject {
        let snapshot = contents.withLock { contents in
            ClientSnapshot(
                lifecycle: contents.state.lifecycle, fault: contents.state.fault?.message, run: contents.state.run,
                pendingCalls: contents.state.pending.calls, model: contents.model, refused: contents.refused,
                lastAccount: contents.lastAccount, lastError: contents.lastError)
        }
        var info: JSONObject = ["lifecycle": .string(snapshot.lifecycle.rawValue), "queueLength": 0]
        if let account = snapshot.lastAccount { info["account"] = .object(DebugInfo.describe(account)) }
        if let fault = snapshot.fault { info["disabledBecause"] = .string(fault) }
        Model.describe(snapshot, in: &info)
        if let run = snapshot.run {
            DebugInfo.describe(run.lane, at: dependencies.clock.wall, in: &info)
            if run.settings.initialConsent == nil { info["consent"] = nil }
            DebugInfo.describe(run.settings.headers, in: &info)
        }
        info["queueLength"] = JSONValue(Int(info["queueLength"]?.intValue ?? 0) + snapshot.pendingCalls)
        if info["lastError"] ?? .null == .null, let error = snapshot.lastError {
            info["lastError"] = ["message": .string(error.message), "at": .string(error.at.description)]
        }
        info["refused"] = DebugInfo.counts(snapshot.refused.named)
        return info
    }
}

/// What the clients' debug infos have in common.
enum DebugInfo {
    static func describe(_ lane: OpenLane, at wall: Timestamp, in info: inout JSONObject) {
        let engine = lane.engine.snapshot
        do throws(StorageError) {
            let reading = try lane.parts.read()
            let (state, account) = (reading.state, reading.account)
            info["consent"] = .string(state.consent.rawValue)
            info["queueLength"] = JSONValue(account.queued)
            info["queueBytes"] = JSONValue(state.queuedBytes)
            info["oldestQueuedMs"] =
                state.oldestOccurredAt.map { JSONValue(Int(max(0, wall.milliseconds - $0.milliseconds))) } ?? .null
            info["account"] = .object(describe(account))
            info["refusedEvents"] = .object(describe(reading.refused))
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
        if let halt = engine.halt {
            info["halted"] = [
                "reason": .string(halt.reason), "since": .string(halt.since.description),
                "nextTryInMs": halt.nextTry.map { milliseconds(max(.zero, lane.loop.now.duration(to: $0))) } ?? .null,
            ]
        }
        info["lastError"] =
            engine.lastError.map { ["message": .string($0.message), "at": .string($0.at.description)] } ?? .null
    }

    /// Puts the headers that requests have now in the place of those that were given first.
    static func describe(_ headers: ExtraHeaders, in info: inout JSONObject) {
        guard var config = info["config"]?.objectValue, var delivery = config["delivery"]?.objectValue else { return }
        delivery["headers"] = headers.values.isEmpty ? .null : .object(headers.masked)
        config["delivery"] = .object(delivery)
        info["config"] = .object(config)
    }

    static func describe(_ account: Account) -> JSONObject {
        [
            "accepted": JSONValue(account.accepted), "recovered": JSONValue(account.recovered),
            "requeued": JSONValue(account.requeued),
            "delivered": JSONValue(account.delivered), "queued": JSONValue(account.queued),
            "dropped": counts(account.dropped.named),
        ]
    }

    /// How much of what the server has refused is kept.
    private static func describe(_ refused: RefusedCount) -> JSONObject {
        [
            "count": JSONValue(refused.records), "bytes": JSONValue(refused.bytes),
            "reasons": counts(refused.reasons.named),
        ]
    }

    /// Counts by reasons, in the order of their names.
    static func counts(_ reasons: [String: Int]) -> JSONValue {
        .object(JSONObject(reasons.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }))
    }

    /// The values of options, each under the key that it has over the bridge.
    static func describe<Options>(_ values: Options, _ options: [ConfigOption<Options>]) -> JSONObject {
        JSONObject(options.map { ($0.key, $0.value(in: values)?.json ?? .null) })
    }

    static func describe(_ options: DeliveryOptions) -> JSONObject {
        var info = describe(options, DeliveryOptions.all)
        if let proxy = options.proxy { info["proxy"] = .string(ProxyURL(proxy).masked) }
        info["plan"] = .object(describe(options.plan, PlanOptions.options))
        return info
    }

    static func milliseconds(_ duration: Duration) -> JSONValue { JSONValue(duration.count(perSecond: 1000)) }
}
