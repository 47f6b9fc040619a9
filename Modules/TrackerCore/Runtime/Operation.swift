import TrackerModels
import TrackerStorage

enum Operation<Model: ClientModel>: Sendable {
    /// Boxed: a call is large, and as a rule it is staged at once and never one of these.
    indirect case call(PendingCall<Model.Call>)
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
        case .call(let call): call.stamp.caller.receive(.failure(.notInitialized))
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

extension TrackerError {
    static var clientIsGone: TrackerError {
        TrackerError(.initializationFailed, "The client is gone", cause: .shutdown)
    }
}
