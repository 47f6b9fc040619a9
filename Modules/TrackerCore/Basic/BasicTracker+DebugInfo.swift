import Synchronization
public import TrackerModels

extension BasicTracker {
    /// How things stand: queue, circuit, user, account, configuration. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `ready`, `halted`), `queueLength`, `queueBytes`,
    /// `oldestQueuedMs`, `endpoint`, `maxQueueSize`, `userId`, `circuitState`, `circuitRemainingMs`, `flushInFlight`,
    /// `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`, `storage`, `delivering`,
    /// `otherLanes`, `config`.
    public func debugInfo() -> JSONObject {
        let (run, user, held, refused) = state.withLock { ($0.run, $0.user, $0.held?.count ?? 0, $0.refused) }
        var info: JSONObject = ["lifecycle": "idle", "queueLength": 0]
        if let run {
            info["lifecycle"] = run.lane.engine.isHalted ? "halted" : "ready"
            info["endpoint"] = .string(run.settings.endpoint)
            info["maxQueueSize"] = JSONValue(run.settings.delivery.maxQueuedEvents)
            info["userId"] = user.map { .string($0.userId) } ?? .null
            DebugInfo.describe(run.lane, at: dependencies.clock.wall, in: &info)
            // The consent is not this client's.
            info["consent"] = nil
            info["queueLength"] = JSONValue(Int(info["queueLength"]?.intValue ?? 0) + held)
            info["config"] = [
                "apiKey": .string(run.settings.apiKey.masked),
                "appVersion": run.settings.appVersion.map(JSONValue.string) ?? .null,
                "delivery": .object(DebugInfo.describe(run.settings.delivery)),
            ]
        }
        info["refused"] = DebugInfo.counts(refused)
        return info
    }
}
