import Synchronization
import TrackerModels

/// The program's own function that sees each call before it is stored, if it has given one.
///
/// The function runs outside the client's critical section, since it may make calls itself. Another `initialize` may
/// bring another function meanwhile, so each call has the ``version`` by which it was seen; it is accepted only under
/// that one, and else shown again.
final class CallFilter: Sendable {
    private struct Content {
        var body: BeforeSend?
        /// The function of the last `initialize` that has succeeded.
        var settled: BeforeSend?
        /// Whether the function is that of an `initialize` under way.
        var isProposed = false
    }

    private let content = Mutex(Content())
    private let changes = Atomic(0)
    /// So that a client without a function asks no lock.
    private let isSet = Flag(false)

    /// Names the function that sees calls now. It changes inside the client's critical section alone.
    var version: Int { changes.load(ordering: .acquiring) }

    /// An `initialize` has begun: its function sees every call from now on. If it has none, the one before stays until
    /// it has succeeded. For the client's critical section alone, as the other changes.
    func propose(_ body: BeforeSend?) {
        change { content in
            guard body != nil || content.isProposed else { return false }
            content.body = body ?? content.settled
            content.isProposed = body != nil
            return true
        }
    }

    /// An `initialize` with this function has succeeded: it sees every call from now on; `nil`: none does.
    func settle(_ body: BeforeSend?) {
        change { content in
            // The one that was proposed does so already.
            let isNew = !(content.isProposed && body != nil)
            if isNew { content.body = body }
            content.settled = content.body
            content.isProposed = false
            return isNew
        }
    }

    /// An `initialize` has failed: the function before it sees every call from now on. Without one, its own stays: what
    /// is kept for the next `initialize` has been seen by one.
    func takeBack() {
        change { content in
            defer { content.isProposed = false }
            guard content.isProposed, let settled = content.settled else {
                content.settled = content.body
                return false
            }
            content.body = settled
            return true
        }
    }

    private func change(_ change: (inout Content) -> Bool) {
        let (hasChanged, isSet) = content.withLock { content in
            let had = content.body != nil
            let hasChanged = change(&content)
            return (hasChanged && (had || content.body != nil), content.body != nil)
        }
        guard hasChanged else { return }
        self.isSet.set(isSet)
        changes.add(1, ordering: .acquiringAndReleasing)
    }

    /// Has the function look at a call that is valid, and checks what it has made of it.
    func apply<Call: FilterableCall>(to call: Call, log: LevelledLog) -> SeenCall<Call> {
        let version = version
        let checked = call.checked()
        guard isSet.value, let body = content.withLock({ $0.body }), case .success = checked else {
            return SeenCall(checked: checked, version: version, isSeen: false)
        }
        let (changed, result) = apply(body, to: call, checked, log)
        return SeenCall(changed: changed, checked: result, version: version, isSeen: true)
    }

    private func apply<Call: FilterableCall>(
        _ body: BeforeSend, to call: Call, _ checked: Result<Call.Checked, Refusal>, _ log: LevelledLog
    ) -> (changed: Call?, checked: Result<Call.Checked, Refusal>) {
        let outgoing = call.outgoing
        do {
            guard let changed = try body(outgoing) else {
                return (nil, .failure(Refusal(.beforeSend)))
            }
            guard !changed.isSpelled(as: outgoing) else { return (nil, checked) }
            let replaced = call.replacing(outgoing, with: changed)
            return (replaced, replaced.checked())
        } catch {
            // What an error of the program says may be personal.
            log.log(.warning, "Dropped \(call.name): beforeSend has thrown \(type(of: error))")
            return (nil, .failure(Refusal(.beforeSend)))
        }
    }
}

/// A call that the program's function has seen, if there is one.
struct SeenCall<Call: FilterableCall>: Sendable {
    /// What the function has made of the call; `nil`: it has left it as it was.
    var changed: Call?
    var checked: Result<Call.Checked, Refusal>
    /// The ``CallFilter/version`` by which it was seen.
    let version: Int
    /// Whether a function has seen it. No other one sees it then.
    let isSeen: Bool
}

extension OutgoingCall {
    /// Whether both are equal by their code points, as values are: Swift's own `==` takes two spellings of one character
    /// for the same.
    fileprivate func isSpelled(as other: OutgoingCall) -> Bool {
        self == other && texts == other.texts
    }

    private var texts: [ExactString?] {
        [
            name, userId, anonymousId, groupId, advertisingId, email, url, sourceSessionId, scope?.userId,
            scope?.anonymousId, scope?.groupId,
        ].map { $0.map(ExactString.init) }
    }

    /// The values that a call has now: those that it was given, unless the function has made others of them.
    func values(_ path: KeyPath<OutgoingCall, JSONObject?>, after old: OutgoingCall, given: Properties?) -> Properties?
    {
        self[keyPath: path] == old[keyPath: path] ? given : self[keyPath: path].map { Properties($0) }
    }
}

extension Properties {
    /// The members; `nil` if JSON cannot hold them.
    var members: JSONObject? { (try? json()).flatMap { JSONValue($0).objectValue } }
}
