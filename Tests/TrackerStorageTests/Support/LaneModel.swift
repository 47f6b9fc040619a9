import TrackerModels

@testable import TrackerStorage

/// A lane as plain arrays, written from what it promises and not from how it is kept.
struct LaneModel {
    struct Item {
        var id: String
        var sequence: Int64
        var generation: Int64
        var isGiven: Bool
    }

    static let maxRecords = 12
    static let maxPending = 6
    static let lifetime = Duration.seconds(1000)

    var queue: [Item] = []
    var generation: Int64 = 1
    var sequence: Int64 = 0
    var consent = Consent.granted
    /// The sessions of generations that have one.
    var sessions: [Int64: String] = [:]
    var users: [Int64: String] = [:]
    var sessionExpires: Timestamp?
    var own: String?
    var ownExpires = Timestamp(milliseconds: .max)
    var hasDevice = false
    var deviceExpires = Timestamp(milliseconds: .max)
    var userExpires = Timestamp(milliseconds: .max)
    var applied: Set<String> = []
    /// What calls with callers' ids came to.
    var given: [String: String] = [:]
    var accepted = 0
    var delivered = 0
    var dropped: [DropReason: Int] = [:]

    /// Applies a change and says what it should come to.
    mutating func apply(_ change: LaneChange, at now: Timestamp) -> String {
        switch change {
        case .append(let draft): return append(draft, now)
        case .reset(let all, let id): if !once(id, { $0.reset(all: all) }) { return "repeated" }
        case .consent(let consent, let id): if !once(id, { $0.set(consent) }) { return "repeated" }
        case .expire(let number): if number.number == generation, sessions[generation] != nil { expire() }
        case .bind(let number, let session): bind(number.number, session.text, now)
        case .bindMade(let number, let session):
            if sessions[number.number] == nil { bind(number.number, session.text, now) }
        case .unbind(let number, let session, let record, _): unbind(number.number, session.text, record)
        case .identify(let number, let user):
            guard isKnown(number.number) else { break }
            users[number.number] = user.text
            if number.number == generation { userExpires = now.advanced(by: Self.lifetime) }
        case .store(.own, let text, let number):
            guard number == nil || number?.number == generation else { break }
            own = text
            ownExpires = now.advanced(by: Self.lifetime)
        case .set(let changes, let id): if !once(id, { $0.make(changes, now) }) { return "repeated" }
        case .delivered(let ids, _): delivered += remove(ids)
        case .drop(let ids, let reason, _): drop(remove(ids), reason)
        case .dropAll(let reason): drop(remove { _ in true }, reason)
        case .ensureDevice:
            guard consent != .denied, !hasDevice else { break }
            hasDevice = true
            deviceExpires = now.advanced(by: Self.lifetime)
        default: break
        }
        forget()
        return "done"
    }

    /// Ends the generation if its session has expired.
    mutating func pass(_ now: Timestamp) {
        if let sessionExpires, sessionExpires <= now { expire() }
        if userExpires <= now { users[generation] = nil }
        if ownExpires <= now { own = nil }
        if deviceExpires <= now { hasDevice = false }
    }

    private mutating func make(_ changes: [ValueChange], _ now: Timestamp) {
        for change in changes {
            own = change.text
            ownExpires = now.advanced(by: Self.lifetime)
        }
    }

    private mutating func append(_ draft: Draft, _ now: Timestamp) -> String {
        let id = draft.messageID.text
        guard consent != .denied else { return "refused trackingNotAllowed" }
        if draft.hasCallerKey, let first = given[id] { return first }
        guard case .complete(let body) = draft.body, body.byteCount <= 40 else { return "refused tooLarge" }
        let isPending = consent == .pending || sessions[generation] == nil
        let isAllPending = consent == .pending || queue.allSatisfy { sessions[$0.generation] == nil }
        if isPending, isAllPending, queue.count >= Self.maxPending { return "refused queueFull" }
        sequence += 1
        queue.append(Item(id: id, sequence: sequence, generation: generation, isGiven: draft.hasCallerKey))
        accepted += 1
        let result = isPending ? "pending \(id)" : "queued \(id)"
        if draft.hasCallerKey { given[id] = result }
        make(draft.values, now)
        if queue.count > Self.maxRecords {
            queue.removeFirst()
            drop(1, .evicted)
        }
        forget()
        return result
    }

    private mutating func reset(all: Bool) {
        let sessions = sessions
        drop(remove { all || sessions[$0.generation] == nil }, .reset)
        begin()
        hasDevice = false
    }

    private mutating func set(_ consent: Consent) {
        self.consent = consent
        guard consent == .denied else { return }
        drop(remove { _ in true }, .consent)
        begin()
        hasDevice = false
    }

    private mutating func expire() {
        begin()
    }

    private mutating func begin() {
        generation += 1
        sessionExpires = nil
        userExpires = Timestamp(milliseconds: .max)
        own = nil
        forget()
    }

    private mutating func bind(_ number: Int64, _ session: String, _ now: Timestamp) {
        guard isKnown(number) else { return }
        sessions[number] = session
        if number == generation { sessionExpires = now.advanced(by: Self.lifetime) }
    }

    private mutating func unbind(_ number: Int64, _ session: String, _ record: Record.ID) {
        guard number == generation else { return drop(remove([record]), .sessionGone) }
        guard sessions[number] == session else { return }
        sessions[number] = nil
        sessionExpires = nil
    }

    private func isKnown(_ number: Int64) -> Bool {
        number == generation || queue.contains { $0.generation == number }
    }

    /// Generations are forgotten with their last record, and with those of all generations before them.
    private mutating func forget() {
        let first = min(queue.first?.generation ?? generation, generation)
        sessions = sessions.filter { $0.key >= first }
        users = users.filter { $0.key >= first }
    }

    private mutating func once(_ id: MessageID?, _ change: (inout LaneModel) -> Void) -> Bool {
        if let id, applied.contains(id.text) { return false }
        change(&self)
        if let id { applied.insert(id.text) }
        return true
    }

    private mutating func remove(_ ids: [Record.ID]) -> Int {
        let sequences = Set(ids.map { LaneKey.sequence(ofRecord: $0.number) })
        return remove { sequences.contains($0.sequence) }
    }

    private mutating func remove(where isGone: (Item) -> Bool) -> Int {
        let before = queue.count
        queue.removeAll(where: isGone)
        return before - queue.count
    }

    private mutating func drop(_ count: Int, _ reason: DropReason) {
        if count > 0 { dropped[reason, default: 0] += count }
    }
}
