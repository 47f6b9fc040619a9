import TrackerModels
import TrackerStorage

/// Where a client stands, for its debug information.
struct ClientSnapshot<Model: ClientModel> {
    var lifecycle: Lifecycle
    var fault: String?
    /// The settings in use, and the lane.
    var run: ClientState<Model, OpenLane>.Run?
    var pendingCalls: Int
    var model: Model
    var refused: [RefusalReason: Int]
    var lastAccount: Account?
    var lastError: (message: String, at: Timestamp)?

    /// A value that the lane stores; `null`: there is none.
    func stored(_ key: StoredKey) -> JSONValue { run?.lane.outbox.value(for: key).map(JSONValue.string) ?? .null }
}
