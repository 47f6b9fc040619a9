import TrackerModels

@testable import TrackerStorage

/// A lane as plain arrays, written from what it promises and not from how it is kept.
struct LaneModel {
    struct Item {
        var id: String
        var sequence: Int64
        var generation: Int64
        var isGiven: Bool
        var bytes: Int
    }

    /// A record that the server has refused.
    struct Refused {
        var item: Item
        /// What its generation was bound to then.
        var session: String?
        var at: Timestamp
    }

    static let maxRecords = 12
    static let maxPending = 6
    static let lifetime = Duration.seconds(1000)
    static let maxRefused = RefusedLimits(maxRecords: 4, maxBytes: 90, ttl: .seconds(1500))

    var queue: [Item] = []
    /// In the order of their numbers.
    var refused: [Refused] = []
    var requeued = 0
    /// What calls have wanted to bind each generation to.
    var wanted: [Int64: Set<String>] = [:]
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
    /// Whether the current generation has it, also once the stored value has expired.
    var isDeviceBound = false
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
        case .expire(let number): if number.number == generation, sessions[generation] != nil { expire(now) }
        case .bind(let number, let session): bind(number.number, session.text, now)
        case .bindMade(let number, let session):
            if sessions[number.number] == nil { bind(number.number, session.text, now) }
        case .unbind(let number, let session, let record, _): unbind(number.number, session.text, record, now)
        case .identify(let number, let user):
            guard isKnown(number.number) else { break }
            let isKept = users[number.number] == user.text
            users[number.number] = user.text
            if number.number == generation { userExpires = Self.end(of: isKept ? userExpires : nil, now) }
        case .store(.own, let text, let number):
            guard number == nil || number?.number == generation else { break }
            keep(text, now)
        case .set(let changes, let id):
            if let id, given.updateValue(given[id.text] ?? "queued", forKey: id.text) != nil { return "repeated" }
            make(changes, now)
        case .delivered(let records, _): delivered += remove(records.map(\.id)).count
        case .drop(let ids, let reason, _): refuse(ids, reason, now)
        case .dropAll(let reason): drop(remove { _ in true }.count, reason)
        case .requeue(let ids): return "changed \(requeue(ids))"
        case .dropRefused(let ids):
            let before = refused.count
            refused.removeAll { kept in ids.contains { kept.item.sequence == RowKey.sequence(ofRecord: $0.number) } }
            return "changed \(before - refused.count)"
        case .ensureDevice:
            guard consent != .denied else { break }
            if !hasDevice { keepDevice(now) }
            isDeviceBound = true
        default: break
        }
        forget()
        return "done"
    }

    /// Ends the generation if its session has expired.
    mutating func pass(_ now: Timestamp) {
        refused.removeAll { $0.at < Self.maxRefused.oldest(at: now) }
        if let sessionExpires, sessionExpires <= now { expire(now) }
        if userExpires <= now { users[generation] = nil }
        if ownExpires <= now { own = nil }
        if deviceExpires <= now { hasDevice = false }
    }

    private mutating func make(_ changes: [ValueChange], _ now: Timestamp) {
        for change in changes { keep(change.text, now) }
    }

    private mutating func keep(_ text: String?, _ now: Timestamp) {
        ownExpires = Self.end(of: text == own ? ownExpires : nil, now)
        own = text
    }

    /// When a value ends that is written now, or was kept already and would hardly last longer.
    private static func end(of kept: Timestamp?, _ now: Timestamp) -> Timestamp {
        let end = now.advanced(by: lifetime)
        if let kept, kept <= end, end < kept.advanced(by: lifetime / 100) { return kept }
        return end
    }

    private mutating func append(_ draft: Draft, _ now: Timestamp) -> String {
        let id = draft.stamp.messageID.text
        guard consent != .denied else { return "refused trackingNotAllowed" }
        if draft.stamp.hasCallerKey, let first = given[id] { return first }
        guard case .complete(let body) = draft.content.body, body.byteCount <= 40 else { return "refused tooLarge" }
        let isPending = consent == .pending || sessions[generation] == nil
        let isAllPending = consent == .pending || queue.allSatisfy { sessions[$0.generation] == nil }
        if isPending, isAllPending, queue.count >= Self.maxPending { return "refused queueFull" }
        sequence += 1
        queue.append(
            Item(
                id: id, sequence: sequence, generation: generation, isGiven: draft.stamp.hasCallerKey,
                bytes: body.byteCount))
        accepted += 1
        let result = isPending ? "pending" : "queued"
        if draft.stamp.hasCallerKey { given[id] = result }
        make(draft.content.values, now)
        evict()
        forget()
        return result
    }

    private mutating func evict() {
        guard queue.count > Self.maxRecords else { return }
        queue.removeFirst()
        drop(1, .evicted)
    }

    /// Removes records, and keeps those apart that the server has refused.
    private mutating func refuse(_ ids: [Record.ID], _ reason: DropReason, _ now: Timestamp) {
        let removed = remove(ids)
        drop(removed.count, reason)
        guard reason.isRefusal, !removed.isEmpty else { return }
        refused += removed.map { Refused(item: $0, session: sessions[$0.generation], at: now) }
        refused.sort { $0.item.sequence < $1.item.sequence }
        while refused.count > Self.maxRefused.maxRecords
            || refused.reduce(0, { $0 + $1.item.bytes }) > Self.maxRefused.maxBytes
        {
            refused.removeFirst()
        }
    }

    private mutating func requeue(_ ids: [Record.ID]) -> Int {
        guard consent != .denied else { return 0 }
        let before = requeued
        for id in ids.sorted() {
            let place = refused.firstIndex { $0.item.sequence == RowKey.sequence(ofRecord: id.number) }
            guard let place else { continue }
            if queue.count >= Self.maxRecords { break }
            var kept = refused.remove(at: place)
            sequence += 1
            kept.item.sequence = sequence
            queue.append(kept.item)
            requeued += 1
            if kept.item.generation < generation, sessions[kept.item.generation] == nil {
                sessions[kept.item.generation] = kept.session
            }
        }
        forget()
        return requeued - before
    }

    private mutating func reset(all: Bool) {
        if all { refused = [] }
        let sessions = sessions
        drop(remove { all || sessions[$0.generation] == nil }.count, .reset)
        begin()
        hasDevice = false
        isDeviceBound = false
    }

    private mutating func set(_ consent: Consent) {
        self.consent = consent
        guard consent == .denied else { return }
        refused = []
        drop(remove { _ in true }.count, .consent)
        begin()
        hasDevice = false
        isDeviceBound = false
    }

    private mutating func expire(_ now: Timestamp) {
        begin()
        if isDeviceBound { keepDevice(now) }
    }

    /// A start has no device that has expired.
    mutating func reopen(_ now: Timestamp) {
        pass(now)
        isDeviceBound = hasDevice
    }

    private mutating func keepDevice(_ now: Timestamp) {
        hasDevice = true
        deviceExpires = now.advanced(by: Self.lifetime)
    }

    private mutating func begin() {
        generation += 1
        sessionExpires = nil
        userExpires = Timestamp(milliseconds: .max)
        own = nil
        forget()
    }

    private mutating func bind(_ number: Int64, _ session: String, _ now: Timestamp) {
        wanted[number, default: []].insert(session)
        guard isKnown(number) else { return }
        let keptEnd = sessions[number] == session ? sessionExpires : nil
        sessions[number] = session
        guard number == generation else { return }
        let end = Self.end(of: keptEnd, now)
        // A session that is written takes its user along.
        if end != keptEnd, users[number] != nil { userExpires = Self.end(of: userExpires, now) }
        sessionExpires = end
        isDeviceBound = isDeviceBound || hasDevice
        if isDeviceBound { keepDevice(now) }
    }

    private mutating func unbind(_ number: Int64, _ session: String, _ record: Record.ID, _ now: Timestamp) {
        guard number == generation else { return refuse([record], .sessionGone, now) }
        guard sessions[number] == session else { return }
        sessions[number] = nil
        sessionExpires = nil
    }

    func isKnown(_ number: Int64) -> Bool {
        number == generation || queue.contains { $0.generation == number }
    }

    /// Generations are forgotten with their last record. What one without records is bound to is seen only when a record
    /// of it is queued again.
    private mutating func forget() {
        let known = Set(queue.map(\.generation)).union([generation])
        sessions = sessions.filter { known.contains($0.key) }
        users = users.filter { known.contains($0.key) }
    }

    private mutating func once(_ id: MessageID?, _ change: (inout LaneModel) -> Void) -> Bool {
        if let id, applied.contains(id.text) { return false }
        change(&self)
        if let id { applied.insert(id.text) }
        return true
    }

    private mutating func remove(_ ids: [Record.ID]) -> [Item] {
        let sequences = Set(ids.map { RowKey.sequence(ofRecord: $0.number) })
        return remove { sequences.contains($0.sequence) }
    }

    private mutating func remove(where isGone: (Item) -> Bool) -> [Item] {
        let gone = queue.filter(isGone)
        queue.removeAll(where: isGone)
        return gone
    }

    private mutating func drop(_ count: Int, _ reason: DropReason) {
        if count > 0 { dropped[reason, default: 0] += count }
    }
}
