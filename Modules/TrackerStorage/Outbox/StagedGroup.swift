import TrackerModels

/// What one transaction writes: the records of calls as rows over shared bytes, and other tasks between them.
///
/// The thread that stages a call copies what the writer needs of it into these arrays. So the writer touches no object of
/// a call but its receiver: objects that one core makes and another releases cost more than the copies.
struct StagedGroup: Sendable {
    enum Entry: Sendable {
        case record(StagedRecord)
        /// One of ``StagedGroup/tasks``.
        case task(Int)
    }

    /// Hears of the records of one client, of neighbours in a group together.
    private struct Owner: Sendable {
        let id: RecordOwner
        let answer: @Sendable (AnsweredRecords) -> Void
    }

    /// How much memory of a group is used again.
    private static let mostSpareBytes = 2 << 20
    /// How much of it an outbox keeps while it has nothing to write.
    private static let mostIdleBytes = 64 << 10

    private(set) var entries: [Entry] = []
    private(set) var tasks: [StagedTask] = []
    /// What the records' places lead to: keys, names, bodies.
    private(set) var bytes: [UInt8] = []
    /// The pieces of bodies that the commit writes.
    private(set) var pieces: [BodyPiece] = []
    private(set) var parts: [BodyTemplate.Part] = []
    private(set) var values: [[ValueChange]] = []
    /// The answers that receivers have promised.
    private(set) var promises: [UInt8] = []
    private(set) var receivers: [any CallReceiver] = []
    private var owners: [Owner] = []
    /// Groups of which nothing is left to do. They go with this one, outside the stage's lock: the last that knows of a
    /// client may be one of them.
    private var outlived: [StagedGroup] = []

    /// About how many bytes it adds to a transaction.
    private(set) var weight = 0
    /// How many records it adds to the queue, unless they are refused.
    private(set) var records = 0
    /// How many of its tasks the next process to deliver the lane must find done.
    private(set) var deliveryTasks = 0
    /// How many sequence numbers it may give.
    private(set) var numbers = 0
    /// Whether something of it must outlive a loss of power, even if the configuration does not ask for that.
    private(set) var isLasting = false

    init() {}

    init(_ tasks: [StagedTask]) {
        for task in tasks { append(task) }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// How much memory it takes, also for what has left it.
    var byteCount: Int { bytes.count + promises.count }

    mutating func append(_ task: StagedTask) {
        entries.append(.task(tasks.count))
        tasks.append(task)
        count(entries[entries.count - 1], 1)
        isLasting = isLasting || task.isLasting
    }

    /// - Parameters:
    ///   - draft: Its record.
    ///   - owner: Its client.
    ///   - isBare: Whether it is only to be answered: its body is left out.
    ///   - answer: Makes what hears of the calls of this client; asked for once a group.
    mutating func append(
        _ draft: Draft, of owner: RecordOwner, isBare: Bool = false,
        answer: () -> @Sendable (AnsweredRecords) -> Void
    ) {
        let (stamp, content) = (draft.stamp, draft.content)
        let start = promises.count
        if !isBare, draft.refusal == nil, !draft.isPending {
            stamp.caller.receiver?.promise(stamp.messageID, of: stamp.caller.call, in: &promises)
        }
        let promise = BytePlace(start, promises.count - start)
        let messageID = place(stamp.messageID.text.utf8)
        let name = place(stamp.name.utf8)
        let body: StagedRecord.Body
        if isBare {
            body = .complete(BytePlace(bytes.count, 0))
        } else {
            switch content.body {
            case .complete(let text): body = .complete(place(text))
            case .withSessionMetadata(let text):
                body = .withSessionMetadata(place(text.text), headEnd: text.headEnd)
            case .template(let template): body = place(template)
            }
        }
        append(
            StagedRecord(
                messageID: messageID, hasCallerKey: stamp.hasCallerKey, route: content.route, body: body,
                sessionMetadata: isBare ? nil : content.sessionMetadata.map { place($0) },
                values: isBare || content.values.isEmpty ? nil : index(of: content.values), isPending: draft.isPending,
                refusal: draft.refusal, occurredAt: stamp.occurredAt, acceptedAt: stamp.acceptedAt,
                weight: isBare ? 0 : StagedTask.weight + content.body.byteCount,
                owner: index(of: owner, answer), number: stamp.number, name: name, isNoted: draft.isNoted,
                receiver: stamp.caller.receiver.map { index(of: $0) }, call: stamp.caller.call, promise: promise))
    }

    /// Adds an entry of another group.
    ///
    /// - Parameters:
    ///   - isBare: Whether it is only to be answered: its body is left out.
    ///   - isEvicted: Whether only what else the call changes is to be written, and nobody hears of it any more.
    mutating func append(_ entry: Entry, of other: StagedGroup, isBare: Bool = false, isEvicted: Bool = false) {
        guard case .record(var record) = entry else {
            if case .task(let index) = entry { append(other.tasks[index]) }
            return
        }
        record.messageID = place(other.bytes[record.messageID.range])
        record.name = place(other.bytes[record.name.range])
        record.sessionMetadata = isBare ? nil : record.sessionMetadata.map { place(other.bytes[$0.range]) }
        record.values = isBare ? nil : record.values.map { index(of: other.values[$0]) }
        if isBare || isEvicted {
            record.body = .complete(BytePlace(bytes.count, 0))
            record.weight = isBare ? 0 : StagedTask.weight
        } else {
            switch record.body {
            case .complete(let old): record.body = .complete(place(other.bytes[old.range]))
            case .withSessionMetadata(let old, let headEnd):
                record.body = .withSessionMetadata(place(other.bytes[old.range]), headEnd: headEnd)
            case .template(let old, let count):
                let start = pieces.count
                for piece in other.pieces[old.range] {
                    switch piece {
                    case .fixed(let members): pieces.append(.fixed(place(other.bytes[members.range])))
                    case .part(let part): pieces.append(.part(index(of: other.parts[part])))
                    }
                }
                record.body = .template(BytePlace(start, pieces.count - start), byteCount: count)
            }
        }
        if isBare || isEvicted {
            record.promise = BytePlace(0, 0)
        } else {
            let start = promises.count
            promises += other.promises[record.promise.range]
            record.promise = BytePlace(start, record.promise.range.count)
        }
        record.isEvicted = record.isEvicted || isEvicted
        record.receiver = record.isEvicted ? nil : record.receiver.map { index(of: other.receivers[$0]) }
        record.owner = record.isEvicted ? nil : record.owner.map { index(of: other.owners[$0]) }
        append(record)
    }

    /// Takes the first entries out. What they have of the bytes stays as long as the group.
    mutating func removeFirst(_ count: Int) { entries.removeFirst(count) }

    /// Takes an entry that stays in its place for now out of what is counted.
    mutating func uncount(_ entry: Entry) { count(entry, -1) }

    /// Has a group released with this one.
    mutating func outlive(_ group: StagedGroup) { outlived.append(group) }

    /// Whether an outbox that has nothing to write should not keep its buffers.
    var isLarge: Bool { capacity > Self.mostIdleBytes }

    /// About how many bytes its buffers have.
    private var capacity: Int {
        bytes.capacity + promises.capacity + entries.capacity * MemoryLayout<Entry>.stride
    }

    /// Empties it for another use, unless it has grown large.
    mutating func clear() {
        guard capacity <= Self.mostSpareBytes else { return self = StagedGroup() }
        entries.removeAll(keepingCapacity: true)
        tasks.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        pieces.removeAll(keepingCapacity: true)
        parts = []
        values = []
        promises.removeAll(keepingCapacity: true)
        receivers.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        outlived = []
        (weight, records, deliveryTasks, numbers, isLasting) = (0, 0, 0, 0, false)
    }

    // MARK: What a record's places lead to

    func messageID(of record: StagedRecord) -> MessageID {
        MessageID(accepted: String(decoding: bytes[record.messageID.range], as: UTF8.self))
    }

    func isLasting(_ index: Int) -> Bool {
        switch entries[index] {
        case .record(let record): record.isLasting
        case .task(let index): tasks[index].isLasting
        }
    }

    func values(of record: StagedRecord) -> [ValueChange] { record.values.map { values[$0] } ?? [] }

    func text(at place: BytePlace) -> JSONText { JSONText(accepted: bytes[place.range]) }

    /// Answers it without a transaction.
    ///
    /// - Parameter effect: The answer to a task. Records get the same: they are refused.
    func answer(_ effect: (StagedTask) -> ChangeResult.Effect, orElse refusal: RefusalReason) {
        forEach { _, task in
            task.completion(ChangeResult(effect(task)))
        } records: {
            answer($0, nil, in: nil, orElse: refusal)
        }
    }

    /// Goes through its entries in their order: tasks one by one, neighbouring records of one client together.
    ///
    /// - Parameters:
    ///   - isAlone: Whether a record's answer is given by itself.
    ///   - task: Gets the place of an entry as well.
    func forEach(
        isAlone: (StagedRecord) -> Bool = { _ in false }, task: (Int, StagedTask) -> Void,
        records: (Range<Int>) -> Void
    ) {
        var first = 0
        while first < entries.count {
            var end = first + 1
            switch entries[first] {
            case .task(let index): task(first, tasks[index])
            case .record(let record):
                while end < entries.count, !isAlone(record), case .record(let next) = entries[end],
                    next.owner == record.owner, !isAlone(next)
                {
                    end += 1
                }
                records(first..<end)
            }
            first = end
        }
    }

    /// One of its records, to be answered later without the others.
    func alone(_ index: Int) -> StagedGroup {
        var group = StagedGroup()
        group.append(entries[index], of: self, isBare: true)
        return group
    }

    /// Tells the owner of neighbouring records what became of them.
    ///
    /// - Parameters:
    ///   - range: Entries that are records of one owner.
    ///   - effects: What the transaction has made of each entry; `nil`: every one is refused.
    func answer(
        _ range: Range<Int>, _ effects: [ChangeResult.Effect]?, in lane: LaneState?, orElse refusal: RefusalReason
    ) {
        guard case .record(let record)? = entries[range].first, let owner = record.owner else { return }
        owners[owner].answer(
            AnsweredRecords(group: self, indices: range, effects: effects, lane: lane, refusal: refusal))
    }

    // MARK: Filling it

    private mutating func append(_ record: StagedRecord) {
        entries.append(.record(record))
        count(.record(record), 1)
        isLasting = isLasting || record.isLasting
    }

    private mutating func count(_ entry: Entry, _ step: Int) {
        switch entry {
        case .record(let record):
            weight += step * record.weight
            records += step * (record.isEvicted ? 0 : 1)
            numbers += step
        case .task(let index):
            let task = tasks[index]
            weight += step * task.weight
            records += step * task.records
            numbers += step * task.numbers
            if task.guidesDelivery { deliveryTasks += step }
        }
    }

    private mutating func place(_ text: JSONText) -> BytePlace { place(text.bytes) }

    private mutating func place(_ part: some Collection<UInt8>) -> BytePlace {
        let start = bytes.count
        bytes += part
        return BytePlace(start, bytes.count - start)
    }

    private mutating func place(_ template: BodyTemplate) -> StagedRecord.Body {
        let start = pieces.count
        for member in template.members {
            switch member {
            case .fixed(let object):
                guard object.hasMembers else { continue }
                pieces.append(.fixed(place(object.bytes[1..<object.byteCount - 1])))
            case .part(let part): pieces.append(.part(index(of: part)))
            }
        }
        return .template(BytePlace(start, pieces.count - start), byteCount: template.byteCount)
    }

    private mutating func index(of part: BodyTemplate.Part) -> Int {
        // As a rule all calls have the same few.
        if let index = parts.prefix(8).firstIndex(where: { $0 === part }) { return index }
        parts.append(part)
        return parts.count - 1
    }

    private mutating func index(of changes: [ValueChange]) -> Int {
        values.append(changes)
        return values.count - 1
    }

    private mutating func index(of receiver: any CallReceiver) -> Int {
        if let last = receivers.last, last === receiver { return receivers.count - 1 }
        receivers.append(receiver)
        return receivers.count - 1
    }

    private mutating func index(of owner: RecordOwner, _ answer: () -> @Sendable (AnsweredRecords) -> Void) -> Int {
        // The clients of an agent take turns. One that is not found is only answered by itself.
        if let index = owners.suffix(16).lastIndex(where: { $0.id == owner }) { return index }
        owners.append(Owner(id: owner, answer: answer()))
        return owners.count - 1
    }

    private mutating func index(of owner: Owner) -> Int { index(of: owner.id) { owner.answer } }
}
