import TrackerModels
import TrackerStorage

/// Where a client stands, for its debug information.
struct ClientSnapshot<Model: ClientModel> {
    var lifecycle: Lifecycle
    var fault: String?
    /// The settings in use, and the lane.
    var run: ClientState<Model, OpenLane>.Run?
    /// What the lane stores of the client's ``ClientPolicy/values``.
    var values: [StoredKey: String] = [:]
    var pendingCalls: Int
    var model: Model
    var refused: [RefusalReason: Int]
    var lastAccount: Account?
    var lastError: (message: String, at: Timestamp)?
}
