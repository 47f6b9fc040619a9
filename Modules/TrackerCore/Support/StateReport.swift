import TrackerModels
import TrackerStorage

/// Says what a state folder holds, for programs that find out why events do not arrive.
package enum StateReport {
    /// Reads a state folder without changing anything in it.
    ///
    /// - Parameter path: The folder.
    /// - Returns: `folder`, `schema` (null if there is no database yet), `lanes`, and `error` if the database cannot
    ///   be read. Of a session it only says whether there is one.
    package static func describe(folder path: String) -> JSONObject {
        var report: JSONObject = ["folder": .string(path)]
        do throws(StorageError) {
            let state = try StateInspection(StateFolder(path: path))
            report["schema"] = state.schema.map { JSONValue($0) } ?? .null
            report["lanes"] = .array(state.lanes.map(describe))
        } catch {
            report["error"] = .string(error.message)
        }
        return report
    }

    private static func describe(_ lane: StateInspection.Lane) -> JSONValue {
        let dropped = JSONObject(lane.dropped.map { ($0.reason, JSONValue($0.count)) })
        return [
            "kind": .string(lane.identity.kind.rawValue), "owner": .string(lane.identity.owner),
            "origin": .string(lane.identity.origin), "queued": JSONValue(lane.queued),
            "queuedBytes": JSONValue(lane.queuedBytes), "pending": JSONValue(lane.pending),
            "oldest": lane.oldest.map { .string($0.description) } ?? .null,
            "consent": lane.consent.map { .string($0.rawValue) } ?? .null, "hasSession": .bool(lane.hasSession),
            "accepted": JSONValue(lane.accepted), "delivered": JSONValue(lane.delivered), "dropped": .object(dropped),
            "requeued": JSONValue(lane.requeued), "refused": DebugInfo.counts(lane.refused.reasons.named),
            "halted": lane.halt.flatMap { try? JSONValue(JSONText(validating: $0)) } ?? .null,
            "deliveryLock": .string(lane.deliveryLock), "openLock": .string(lane.openLock),
        ]
    }
}
