/// The operations that wait, in the order in which they were requested.
struct PendingOperations<Model: ClientModel>: Sendable {
    private var operations: [Operation<Model>?] = []
    private var head = 0
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
        bytes += step * Model.weight(of: call.call)
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
