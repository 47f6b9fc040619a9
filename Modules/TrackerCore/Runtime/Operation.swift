import TrackerModels
import TrackerStorage

enum Operation<Model: ClientModel>: Sendable {
    case call(PendingCall<Model.Call>)
    case initialize(Initialization<Model>)
    /// An `initialize` with `enabled: false`.
    case turnOff(Initialization<Model>.Off)
    case change(PendingChange)
    case flush(PendingFlush)
    case forget(PendingForget)
    /// Something to do once every call before has taken effect.
    case after(@Sendable () -> Void)

    /// Whether it waits until the client is set up.
    var isCall: Bool { if case .call = self { true } else { false } }

    /// Answers the caller: the client no longer exists.
    func abandon() {
        switch self {
        case .call(let call): call.caller.receive(.failure(.notInitialized))
        case .initialize(let initialization):
            initialization.completion(.failure(.clientIsGone))
        case .turnOff(let off): off.completion(.success(()))
        case .change(let change): change.completion(.kept)
        case .flush(let flush): flush.completion(FlushReport(delivered: 0, remaining: 0))
        case .forget(let forget): forget.completion(.notInitialized)
        case .after(let body): body()
        }
    }
}

/// A flush that has its deadline from the call on.
struct PendingFlush: Sendable {
    /// By the monotonic clock.
    var deadline: Duration
    /// The number of the last call before it.
    var lastCall = Int.max
    var cutoff: FlushCutoff?
    var completion: @Sendable (FlushReport) -> Void
    /// Raised when the flush begins, or when it ends without that. The first to raise it answers the flush.
    let hasBegun = Flag(false)
}

/// A change of the list of persons to forget.
struct PendingForget: Sendable {
    enum Outcome: Sendable {
        case taken(ChangeResult)
        /// Nothing is tracked.
        case isOff
        /// There is no lane that could take it.
        case notInitialized
    }

    var change: LaneChange
    var completion: @Sendable (Outcome) -> Void
}

extension TrackerError {
    static var clientIsGone: TrackerError {
        TrackerError(.initializationFailed, "The client is gone", cause: .shutdown)
    }
}
