import TrackerModels
import TrackerStorage

/// What a client does where clients differ.
struct ClientPolicy: Sendable {
    /// What becomes of a call before `initialize` is called.
    enum BeforeInitialize: Sendable {
        /// It is refused as not initialised.
        case refuses
        /// It waits in memory for the next `initialize`; past these bounds the oldest is refused.
        case holds(calls: Int, bytes: Int)
    }

    /// What becomes of the client when settings are not valid, or a lane cannot be opened.
    enum AfterFailure: Sendable {
        /// Settings that are not valid change nothing. A lane that cannot be opened refuses its calls as `storage`.
        case keeps
        /// It is not initialised, unless it runs and only the new settings are at fault.
        case isIdle
        /// It is disabled until it is initialised again or reset, unless it runs and only the new settings are at fault.
        case isDisabled
    }

    /// When what is queued moves to another lane of the same client.
    enum MovesQueue: Sendable {
        case never
        /// Once the server has refused the key or the address: the lane is named by what was wrong.
        case afterHalt
        case always
    }

    var beforeInitialize = BeforeInitialize.refuses
    var afterFailure = AfterFailure.keeps
    /// When what is queued moves along as `initialize` names another lane.
    var movesQueue = MovesQueue.never
    /// The stored values that come along when the queue moves to another lane, in this order.
    var values: [StoredKey] = []
    /// Whether a reset ends the run: the lane is closed, and the client waits for `initialize`.
    var resetEndsRun = false
    /// The code of the error that `initialize` ends with when the client is shut down meanwhile.
    var shutdownCode = TrackerError.Code.initializationFailed
}
