import TrackerModels
import TrackerStorage

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
}
