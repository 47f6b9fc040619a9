import Synchronization
public import TrackerModels
import TrackerStorage

extension AnalyticsClient {
    /// How things stand: lifecycle, queue, circuit, identity, options. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `initializing`, `ready`, `resetting`, `disabled`),
    /// `disabledBecause`, `queueLength`, `writeKey`, `ingestionHost`, `flushIntervalSeconds`, `maxQueueEvents`,
    /// `circuitState`, `circuitRemainingMs`, `flushInFlight`, `anonymousId`, `userId`, `groupId`, and `queueBytes`,
    /// `oldestQueuedMs`, `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`,
    /// `storage`, `delivering`, `otherLanes`, `config`.
    public func getDebugInfo() async -> JSONObject { debugInfo() }

    /// How things stand, as ``getDebugInfo()`` tells, read on the caller's thread.
    package func debugInfo() -> JSONObject {
        let found = state.withLock { state in
            Snapshot(
                lifecycle: state.lifecycle, fault: state.fault, options: state.options, run: state.run,
                isReady: state.isReady,
                heldCalls: state.held.calls, refused: state.refused, lastAccount: state.lastAccount,
                lastError: state.lastError)
        }
        var info: JSONObject = ["lifecycle": .string(found.lifecycle)]
        if let fault = found.fault { info["disabledBecause"] = .string(fault) }
        info["queueLength"] = JSONValue(found.heldCalls)
        info["circuitState"] = .string(CircuitState.closed.rawValue)
        info["circuitRemainingMs"] = 0
        info["flushInFlight"] = false
        let outbox = found.isReady ? found.run?.lane.outbox : nil
        for (name, key) in [("anonymousId", StoredKey.anonymousID), ("userId", .userID), ("groupId", .groupID)] {
            info[name] = outbox?.value(for: key).map(JSONValue.string) ?? .null
        }
        if let account = found.lastAccount { info["account"] = .object(DebugInfo.describe(account)) }
        info["lastError"] = .null
        found.options?.describe(in: &info)
        if let run = found.run {
            // As it was understood.
            info["ingestionHost"] = .string(run.settings.host.description)
            DebugInfo.describe(run.lane, at: dependencies.clock.wall, in: &info)
            // The consent is not this client's.
            info["consent"] = nil
            let queued = info["queueLength"]?.intValue ?? 0
            info["queueLength"] = JSONValue(Int(queued) + found.heldCalls)
        }
        if info["lastError"] == .null, let error = found.lastError {
            info["lastError"] = ["message": .string(error.message), "at": .string(error.at.description)]
        }
        info["refused"] = DebugInfo.counts(found.refused)
        return info
    }

    private struct Snapshot {
        var lifecycle: String
        var fault: String?
        var options: InitOptions?
        var run: Run?
        var isReady: Bool
        var heldCalls: Int
        var refused: [RefusalReason: Int]
        var lastAccount: Account?
        var lastError: (message: String, at: Timestamp)?
    }
}

extension AnalyticsClient.State {
    fileprivate var lifecycle: String {
        switch phase {
        case .idle, .shutDown: "idle"
        case .initializing: "initializing"
        case .ready: "ready"
        case .resetting: "resetting"
        case .disabled: "disabled"
        }
    }

    fileprivate var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    fileprivate var fault: String? {
        if case .disabled(_, let fault) = phase { fault.message } else { nil }
    }
}

extension InitOptions {
    /// Adds the options to a debug info.
    fileprivate func describe(in info: inout JSONObject) {
        let delivery = AnalyticsSettings.delivery(of: self)
        info["writeKey"] = .string(Secret(writeKey).masked)
        info["ingestionHost"] = .string(ingestionHost)
        info["flushIntervalSeconds"] = JSONValue(flushIntervalSeconds)
        info["maxQueueEvents"] = JSONValue(delivery.maxQueuedEvents)
        info["config"] = [
            "debug": .bool(debug),
            "flushAt": JSONValue(flushAt),
            "maxBatchSize": JSONValue(maxBatchSize),
            "maxBatchBytes": JSONValue(maxBatchBytes),
            "delivery": .object(DebugInfo.describe(delivery)),
        ]
    }
}
