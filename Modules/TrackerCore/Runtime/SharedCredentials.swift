import TrackerModels
import TrackerNetworking

/// With which credentials a lane is delivered that several clients have open.
///
/// They are those of the client that was initialised last, unless clients wait for a session: then they are tried one
/// after the other, and each client hears what its own came to.
struct SharedCredentials: Sendable {
    struct Value: Hashable, Sendable {
        let key: Secret
        let headers: ExtraHeaders

        init(_ settings: some ClientSettings) { (key, headers) = (settings.key, settings.headers) }

        init(key: Secret, headers: ExtraHeaders) { (self.key, self.headers) = (key, headers) }
    }

    /// A client that waits for a session.
    struct Waiter: Sendable {
        let member: Int
        var value: Value
        var keyFile: KeyFile?
        let completion: @Sendable (Result<Void, TrackerError>) -> Void

        /// Those who wait for a key themselves come last.
        fileprivate var rank: (Int, Int) { (value.key.isEmpty ? 1 : 0, member) }
    }

    private(set) var value: Value
    /// The file that the key comes from, if it does: it is read when no client is there that would do so.
    private(set) var keyFile: KeyFile?
    /// Those of the client that began to deliver last, and whose they are.
    private var settled: (member: Int, value: Value, keyFile: KeyFile?)?
    /// The clients that have begun to deliver.
    private var begun: Set<Int> = []
    private var waiters: [Int: Waiter] = [:]

    init(_ value: Value) { self.value = value }

    var isAwaited: Bool { !waiters.isEmpty }

    /// A client without a key, which the program is asked for, replaces no other's.
    ///
    /// - Returns: Whether they are others than before.
    mutating func replace(with new: Value, _ keyFile: KeyFile?) -> Bool {
        guard !new.key.isEmpty || value.key.isEmpty else { return false }
        defer { (value, self.keyFile) = (new, keyFile) }
        return new != value
    }

    /// - Parameters:
    ///   - key: As the file has it now.
    ///   - file: Where it was read. It has no effect if the key in use comes from elsewhere by now.
    /// - Returns: Whether the key is another one than before.
    mutating func renew(_ key: Secret, from file: KeyFile) -> Bool {
        guard keyFile === file else { return false }
        defer { if settled?.keyFile === file { settled?.value = value } }
        return replace(with: Value(key: key, headers: value.headers), file)
    }

    /// - Parameters:
    ///   - member: Whose they are. If it waits, it waits with them from now on.
    ///   - keyFile: That of the client; `nil` if it has none.
    ///   - isBeginning: Whether the client begins to deliver.
    /// - Returns: Whether they are in use now, and whether they are others than before.
    mutating func lead(
        _ member: Int, _ new: Value, _ keyFile: KeyFile?, isBeginning: Bool = false
    ) -> (isUsed: Bool, isOther: Bool) {
        if isBeginning { begun.insert(member) }
        let isOther = replace(with: new, keyFile)
        if !new.key.isEmpty { waiters[member]?.value = new }
        if value == new, begun.contains(member) { settled = (member, new, keyFile) }
        return (value == new, isOther)
    }

    /// Goes back to those with which a client delivers, once nobody waits any more who has tried others in vain.
    ///
    /// - Returns: Whose they are; `nil` if nothing changes.
    mutating func settle() -> Int? {
        guard waiters.isEmpty, let settled, settled.value != value else { return nil }
        (value, keyFile) = (settled.value, settled.keyFile)
        return settled.member
    }

    mutating func add(_ waiter: Waiter) { waiters[waiter.member] = waiter }

    /// A client has left, or goes without a session.
    mutating func stopWaiting(_ member: Int) {
        waiters[member] = nil
        begun.remove(member)
    }

    /// Takes out those to whom a result is the answer: a refusal to those alone who wait with the credentials in use, any
    /// other to all.
    ///
    /// - Returns: Them, and who is next. Its credentials are in use from now on.
    mutating func conclude(_ result: Result<Void, TrackerError>) -> (done: [Waiter], next: Waiter?) {
        let done = waiters.values.filter { !result.isRefusal || $0.value == value }
        for waiter in done { waiters[waiter.member] = nil }
        let next = waiters.values.min { $0.rank < $1.rank }
        if let next { (value, keyFile) = (next.value, next.keyFile) }
        return (done, next)
    }
}

extension Result where Success == Void, Failure == TrackerError {
    /// Whether the server has refused the credentials.
    fileprivate var isRefusal: Bool {
        guard case .failure(let error) = self else { return false }
        return error.cause == .status(401) || error.cause == .status(403)
    }
}
