import TrackerModels
import TrackerStorage

/// A call with what was known when it was made.
struct HeldCall: Sendable {
    var call: AnalyticsCall
    var messageID: MessageID
    var hasCallerKey: Bool
    var time: Timestamp
    var uptime: Duration
    var completion: @Sendable (TrackOutcome) -> Void
}

/// Something that was asked of a client while it could not do it.
enum HeldItem: Sendable {
    case call(HeldCall)
    case initialize(InitOptions, @Sendable (Result<Void, TrackerError>) -> Void)
    case reset(MessageID?, @Sendable (StorageError?) -> Void)
    case flush(WaitingFlush)
    case after(@Sendable () -> Void)

    /// Tells whoever waits that there is no client any more.
    func abandon() {
        switch self {
        case .call(let call): call.completion(.dropped(.notInitialized))
        case .initialize(_, let completion):
            completion(.failure(TrackerError(.initializationFailed, "The client is gone", cause: .shutdown)))
        case .reset(_, let completion): completion(nil)
        case .flush(let flush): flush.end(.notInitialized)
        case .after(let body): body()
        }
    }

    /// Whether it waits for a client that is ready, while the others bring one about.
    var isCall: Bool { if case .call = self { true } else { false } }
}

/// What waits for a client, in the order in which it was asked for.
struct PendingOperations: Sendable {
    private var items: [HeldItem?] = []
    private var head = 0
    /// How many calls wait.
    private(set) var calls = 0
    private var others = 0
    /// About how many bytes they have.
    private(set) var bytes = 0

    var isEmpty: Bool { calls + others == 0 }

    mutating func append(_ item: HeldItem) {
        items.append(item)
        count(item, 1)
    }

    /// Takes the first.
    mutating func popFirst() -> HeldItem? {
        while head < items.count {
            if let item = take(at: head) { return item }
        }
        return nil
    }

    /// Takes the first that is no call, and leaves the calls before it where they are.
    mutating func popFirstOther() -> HeldItem? {
        guard others > 0 else { return nil }
        return items.indices.dropFirst(head).first { items[$0]?.isCall == false }.flatMap { take(at: $0) }
    }

    /// Takes the oldest call.
    mutating func popOldestCall() -> HeldCall? {
        guard calls > 0, let index = items.indices.dropFirst(head).first(where: { items[$0]?.isCall == true }),
            case .call(let call)? = take(at: index)
        else { return nil }
        return call
    }

    /// Takes the calls that come before the first other item.
    mutating func popLeadingCalls() -> [HeldCall] {
        var leading: [HeldCall] = []
        while head < items.count {
            switch items[head] {
            case .call(let call):
                leading.append(call)
                _ = take(at: head)
            case nil: head += 1
            default: return leading
            }
        }
        return leading
    }

    /// Whether a call that comes now would wait for an `initialize` that nobody has asked for yet.
    ///
    /// - Parameter isIdle: Whether the client is idle, or will be before anything that waits.
    func leavesIdle(_ isIdle: Bool) -> Bool {
        guard others > 0 else { return isIdle }
        for item in items.dropFirst(head).reversed() {
            switch item {
            case .reset: return true
            case .initialize: return false
            case .call, .flush, .after, nil: continue
            }
        }
        return isIdle
    }

    private mutating func count(_ item: HeldItem, _ step: Int) {
        guard case .call(let held) = item else {
            others += step
            return
        }
        calls += step
        bytes += step * held.call.weight
    }

    private mutating func take(at index: Int) -> HeldItem? {
        let item = items[index]
        items[index] = nil
        if let item { count(item, -1) }
        while head < items.count, items[head] == nil { head += 1 }
        if head == items.count || head > 4096 {
            items.removeFirst(head)
            head = 0
        }
        return item
    }
}
