import TrackerModels
import TrackerStorage

/// A call with what was known when it was made. A class, since it is handed on often and copied never.
final class PendingCall<Call: Sendable>: Sendable {
    let call: Call
    let name: String
    let stamp: CallStamp
    let weight: Int
    /// Whether a function of the program has seen it (``CallFilter``).
    let isSeen: Bool
    let caller: Caller

    init(call: Call, name: String, stamp: CallStamp, weight: Int, isSeen: Bool = false, caller: Caller) {
        self.call = call
        self.name = name
        self.stamp = stamp
        self.weight = weight
        self.isSeen = isSeen
        self.caller = caller
    }
}

/// An `initialize` with what it was given, checked.
struct Initialization<Model: ClientModel>: Sendable {
    var settings: Result<Model.Settings, TrackerError>
    /// Whether a client that runs goes on with these settings, whatever it has.
    var takesAll = false
    /// Applied to the model unless the client ignores the settings.
    var updateModel: @Sendable (inout Model) -> Void = { _ in }
    /// Called before `completion` if the client goes on with the settings of another one.
    var whenIgnored: @Sendable () -> Void = {}
    var completion: @Sendable (Result<Void, TrackerError>) -> Void

    /// An `initialize` that has the client do nothing: its settings are not looked at.
    struct Off: Sendable {
        var switchedBy: OffSwitch
        var updateModel: @Sendable (inout Model) -> Void
        var completion: @Sendable (Result<Void, TrackerError>) -> Void
    }
}

/// A reset or a decision.
struct PendingChange: Sendable {
    var change: LaneChange
    /// The key that its caller chose.
    var messageID: MessageID?
    /// Set on a reset that was made in a process which died.
    var repetition: CallRepetition?
    /// Its own key, under which it is staged if it may be staged twice.
    var ownID: MessageID
    var completion: @Sendable (ChangeOutcome) -> Void

    /// The change under the caller's key, or at least under one of its own.
    var keyed: LaneChange {
        let key = messageID ?? ownID
        return switch change {
        case .reset(let all, _): .reset(all: all, messageID: key)
        case .consent(let consent, _): .consent(consent, messageID: key)
        default: change
        }
    }
}

/// What became of a call that is made once more, since the process that had it died.
package enum CallRepetition: String, CaseIterable, Sendable {
    /// It may have taken effect. A reset ends in either case what it ends, which is set up again here.
    case unanswered
    /// It took effect. This process is brought to where the other one was, and nothing is written.
    case answered
}

/// What became of a reset or a decision.
enum ChangeOutcome: Hashable, Sendable {
    /// The lane has taken it. If the disk refuses it, it holds in memory, and is written once the disk can be written.
    case taken(ChangeResult)
    /// It is kept in memory for the next `initialize`.
    case kept

    /// Why it is not on disk.
    var error: StorageError? { if case .taken(.failed(let error)) = self { error } else { nil } }
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
    /// What became of it.
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

extension TrackerError {
    static var clientIsGone: TrackerError {
        TrackerError(.initializationFailed, "The client is gone", cause: .shutdown)
    }
}

/// The operations that wait, in the order in which they were requested.
struct PendingOperations<Model: ClientModel>: Sendable {
    private var operations: [Operation<Model>?] = []
    private var head = 0
    /// How many calls wait.
    private(set) var calls = 0
    private var others = 0
    /// About how many bytes they have.
    private(set) var bytes = 0

    var isEmpty: Bool { calls + others == 0 }

    var first: Operation<Model>? { isEmpty ? nil : operations[head] }

    mutating func append(_ operation: Operation<Model>) {
        operations.append(operation)
        count(operation, 1)
    }

    var allCalls: [PendingCall<Model.Call>] {
        operations.dropFirst(head).compactMap { if case .call(let call)? = $0 { call } else { nil } }
    }

    /// The flushes that have neither begun nor ended.
    var waitingFlushes: [PendingFlush] {
        guard others > 0 else { return [] }
        return operations.dropFirst(head).compactMap {
            if case .flush(let flush)? = $0, !flush.hasBegun.value { flush } else { nil }
        }
    }

    /// Puts another call, or none, in the place of each.
    ///
    /// - Returns: The calls that none has replaced.
    mutating func replaceCalls(
        by replacement: (PendingCall<Model.Call>) -> PendingCall<Model.Call>?
    ) -> [PendingCall<Model.Call>] {
        var (all, removed) = (Self(), [PendingCall<Model.Call>]())
        while let operation = popFirst() {
            guard case .call(let old) = operation else {
                all.append(operation)
                continue
            }
            if let new = replacement(old) { all.append(.call(new)) } else { removed.append(old) }
        }
        self = all
        return removed
    }

    mutating func popFirst() -> Operation<Model>? { isEmpty ? nil : take(at: head) }

    /// Takes the first that is no call, and leaves the calls before it where they are.
    mutating func popFirstOther() -> Operation<Model>? {
        guard others > 0 else { return nil }
        return operations.indices.dropFirst(head).first { operations[$0]?.isCall == false }.flatMap { take(at: $0) }
    }

    mutating func popOldestCall() -> PendingCall<Model.Call>? {
        guard calls > 0,
            let index = operations.indices.dropFirst(head).first(where: { operations[$0]?.isCall == true }),
            case .call(let call)? = take(at: index)
        else { return nil }
        return call
    }

    /// Takes the calls that come before the first other operation.
    mutating func popLeadingCalls() -> [PendingCall<Model.Call>] {
        var leading: [PendingCall<Model.Call>] = []
        while first?.isCall == true, let call = popOldestCall() { leading.append(call) }
        return leading
    }

    /// Whether a call that is made now would wait although `initialize` was not called yet.
    ///
    /// - Parameter isIdle: Whether the client is idle, or will be before anything that waits.
    func leavesIdle(_ isIdle: Bool) -> Bool {
        guard others > 0 else { return isIdle }
        for operation in operations.dropFirst(head).reversed() {
            switch operation {
            case .change: return true
            case .initialize, .turnOff: return false
            case .call, .flush, .forget, .after, nil: continue
            }
        }
        return isIdle
    }

    private mutating func count(_ operation: Operation<Model>, _ step: Int) {
        guard case .call(let call) = operation else {
            others += step
            return
        }
        calls += step
        bytes += step * call.weight
    }

    private mutating func take(at index: Int) -> Operation<Model>? {
        let operation = operations[index]
        operations[index] = nil
        if let operation { count(operation, -1) }
        while head < operations.count, operations[head] == nil { head += 1 }
        if head == operations.count || head > 4096 {
            operations.removeFirst(head)
            head = 0
        }
        return operation
    }
}
