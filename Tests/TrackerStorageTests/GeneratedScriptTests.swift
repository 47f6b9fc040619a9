import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Generated scripts")
struct GeneratedScriptTests {
    private static let firstSeed = Seeds.base(of: "Generated scripts")

    @Test("end as plain arrays say, after every commit, in one instance or two, across restarts", arguments: 0..<8)
    func agreesWithModel(batch: Int) async throws {
        for script in 0..<130 {
            let seed = Self.firstSeed &+ UInt64(batch * 130 + script)
            var run = try await ScriptRun(seed: seed)
            do {
                try await run.play(steps: 20)
            } catch {
                await run.end()
                Issue.record("Seed \(seed), step \(run.steps): \(error)")
                return
            }
        }
    }
}

extension GeneratedScriptTests {
    @Test("of refused changes show in memory what is then on disk", .closingOutboxes, arguments: 0..<8)
    func showsWhatIsWritten(batch: Int) async throws {
        for script in 0..<50 {
            let seed = Self.firstSeed &+ UInt64(batch * 50 + script)
            var generator = SeededGenerator(seed: seed)
            let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder(), script == 0 ? .disk : .memory))
            await outbox.commit((0..<Int.random(in: 0..<6, using: &generator)).map { _ in .generated(&generator) })
            let changes = (0..<Int.random(in: 1..<8, using: &generator)).map { _ in LaneChange.generated(&generator) }

            try outbox.refuseWrites(true)
            await outbox.commit(changes)
            let shown = try Shown(outbox)
            try outbox.refuseWrites(false)
            await outbox.commit(.barrier)

            #expect(try shown == Shown(outbox), "Seed \(seed): \(changes)")
        }
    }
}

/// What readers of a lane see of its identity.
private struct Shown: Equatable {
    private var generation: Generation
    private var consent: Consent
    private var entry: GenerationEntry
    private var values: [String?]

    init(_ outbox: SQLiteOutbox) throws {
        let state = try outbox.state()
        (generation, consent, entry) = (state.generation, state.consent, state.entry)
        let keys: [StoredKey] = [
            .sessionID, .deviceID, .identifyID, .brandID, .sessionEmail, .sessionMetadata, .own("x"), .own("y"),
        ]
        values = keys.map { outbox.value(for: $0) }
    }
}

extension LaneChange {
    /// Whether records may be kept apart by it.
    fileprivate var mayRefuse: Bool {
        switch self {
        case .drop, .unbind: true
        default: false
        }
    }

    /// A change of a lane's identity.
    fileprivate static func generated(_ generator: inout SeededGenerator) -> LaneChange {
        let generation = Generation(Int64.random(in: 1...3, using: &generator))
        let number = Int.random(in: 1...3, using: &generator)
        let session = known(SessionID("s\(number)"))
        let keys: [StoredKey] = [.sessionID, .deviceID, .identifyID, .brandID, .sessionEmail, .own("x")]
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        return switch Int.random(in: 0..<16, using: &generator) {
        case 0: .reset(all: number == 1, messageID: nil)
        case 1: .consent([.granted, .pending, .denied][number - 1], messageID: nil)
        case 2: .expire(generation)
        case 3...5: .bind(generation, session)
        case 6: .bindMade(generation, session)
        case 7: .unbind(generation, session, refused: Record.ID(1))
        case 8: .identify(generation, known(UserID("u\(number)")))
        case 9: .ensure(.own("y"), "y")
        case 10: .ensureDevice
        case 11: .remove(key)
        default: .store(key, "\(key.name)\(number)", number == 1 ? generation : nil)
        }
    }
}

/// One script on two instances of a lane and on the model.
private struct ScriptRun {
    private let folder = TemporaryFolder()
    private let clock = HandClock()
    private var generator: SeededGenerator
    private var model = LaneModel()
    private var outboxes: [SQLiteOutbox] = []
    private var abandoned: [SQLiteOutbox] = []
    private let ledger: Ledger
    private var nextID = 0
    private(set) var steps = 0

    init(seed: UInt64) async throws {
        generator = SeededGenerator(seed: seed)
        let first = try await Self.opened(folder, clock)
        ledger = try Ledger(folder)
        outboxes = [first, try await Self.opened(folder, clock)]
    }

    mutating func play(steps count: Int) async throws {
        for _ in 0..<count {
            steps += 1
            try await step()
        }
        await end()
    }

    func end() async {
        for outbox in outboxes + abandoned { await outbox.close() }
    }

    private mutating func step() async throws {
        let index = Int.random(in: 0..<outboxes.count, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            await outboxes[index].close()
            outboxes[index] = try await Self.opened(folder, clock)
            model.reopen(clock.now)
        case 1:
            // As a process that dies: nothing is closed.
            abandoned.append(outboxes[index])
            outboxes[index] = try await Self.opened(folder, clock)
            model.reopen(clock.now)
        case 2:
            clock.advance(by: .seconds(Int.random(in: 0..<800, using: &generator)))
            await outboxes[index].commit(.barrier)
            model.pass(clock.now)
        case 3:
            try await requeue(in: outboxes[index])
        default:
            try await commit(in: outboxes[index])
        }
        for outbox in outboxes { try compare(outbox) }
        try ledger.compare(model)
    }

    private mutating func commit(in outbox: SQLiteOutbox) async throws {
        let (records, refused) = (try outbox.records(), try outbox.refused().map(\.id))
        var changes: [LaneChange] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            changes.append(change(records, refused))
            // What is kept apart is brought within its bounds at the end of a transaction: it is the same wherever one
            // ends.
            if changes.last?.mayRefuse == true { break }
        }
        model.pass(clock.now)
        let expected = changes.map { model.apply($0, at: clock.now) }
        let results = await outbox.commit(changes)
        try expect(results.map(\.summary), expected, "\(changes)")
        if let state = results.compactMap(\.state).last {
            try expect(state.generation.number, model.generation, "generation")
            try expect(state.queuedRecords, model.queue.count, "queued")
            try expect(state.lastSequence, model.sequence, "sequence")
        }
    }

    /// Queues records again that the server has refused, twice at once.
    private mutating func requeue(in outbox: SQLiteOutbox) async throws {
        let ids = try outbox.refused().map(\.id).filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
        model.pass(clock.now)
        let former = model
        let changes = [LaneChange.requeue(ids), .requeue(ids.reversed())]
        let expected = changes.map { model.apply($0, at: clock.now) }
        try expect(await outbox.commit(changes).map(\.summary), expected, "\(changes)")

        // A generation whose records had all left is bound to what it was bound to at the refusal, or was since.
        for (generation, entry) in try outbox.peek(limit: .max, maxBytes: .max).entries
        where !former.isKnown(generation.number) && model.isKnown(generation.number) {
            let expected = model.sessions[generation.number]
            let session = entry.session?.text
            if session != expected {
                let isWanted = session.map { model.wanted[generation.number]?.contains($0) == true } ?? false
                try expect(isWanted, true, "\(entry) of \(generation), not \(expected ?? "none")")
            }
            model.sessions[generation.number] = session
            model.users[generation.number] = entry.identifyID?.text
        }
    }

    private func compare(_ outbox: SQLiteOutbox) throws {
        let peek = try outbox.peek(limit: .max, maxBytes: .max)
        try expect(
            peek.records.map { "\($0.messageID) \($0.sequence) \($0.generation.number)" },
            model.queue.map { "\($0.id) \($0.sequence) \($0.generation)" }, "queue"
        )
        for record in peek.records {
            let entry = peek.entries[record.generation]
            try expect(
                entry?.session?.text, model.sessions[record.generation.number], "session of \(record.generation)")
            try expect(entry?.identifyID?.text, model.users[record.generation.number], "user of \(record.generation)")
        }
        try expect(peek.state.queuedBytes, model.queue.reduce(0) { $0 + $1.bytes }, "queued bytes")
        try expect(peek.state.consent, model.consent, "consent")
        try expect(peek.state.entry.session?.text, model.sessions[model.generation], "session")
        try expect(outbox.value(for: .own("x")), model.own, "own value")
        try expect(outbox.value(for: .deviceID) != nil, model.hasDevice, "device")
        try expect(peek.state.entry.device != nil, model.isDeviceBound, "device of the generation")
        if let device = outbox.value(for: .deviceID) { try expect(device, peek.state.entry.device?.text, "device id") }
        try expect(outbox.value(for: .sessionID), model.sessions[model.generation], "session id")
        try expect(outbox.value(for: .identifyID), model.users[model.generation], "identify id")
        let account = try outbox.account()
        try expect(account.isBalanced, true, "balance of \(account)")
        let refused = try outbox.refused()
        try expect(
            refused.map { "\($0.messageID) \(RowKey.sequence(ofRecord: $0.id.number)) \($0.session?.text ?? "none")" },
            model.refused.map { "\($0.item.id) \($0.item.sequence) \($0.session ?? "none")" }, "refused")
        try expect(
            outbox.refusedCount().bytes, model.refused.reduce(0) { $0 + $1.item.bytes }, "bytes of what was refused")
    }

    private mutating func change(_ records: [Record], _ refused: [Record.ID]) -> LaneChange {
        let generation = Generation(max(1, model.generation - Int64.random(in: 0...2, using: &generator)))
        let session = known(SessionID("s\(Int.random(in: 0..<3, using: &generator))"))
        let messageID = Bool.random(using: &generator) ? MessageID("r\(Int.random(in: 0..<4, using: &generator))") : nil
        let value = Bool.random(using: &generator) ? "v\(Int.random(in: 0..<3, using: &generator))" : nil
        let some = records.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        switch Int.random(in: 0..<41, using: &generator) {
        case 0..<14:
            nextID += 1
            let text = String(repeating: "x", count: Int.random(in: 1...25, using: &generator))
            let changes = Int.random(in: 0..<4, using: &generator) == 0 ? [ValueChange(.own("x"), value)] : []
            return .append(Draft.sample("m\(nextID)", body: #"{"event":"\#(text)"}"#, values: changes))
        case 14..<18:
            let id = "g\(Int.random(in: 0..<6, using: &generator))"
            let changes = Bool.random(using: &generator) ? [ValueChange(.own("x"), value)] : []
            return .append(Draft.sample(id, given: true, values: changes))
        case 18: return .append("large", body: #"{"text":"\#(String(repeating: "x", count: 40))"}"#)
        case 19: return .reset(all: Bool.random(using: &generator), messageID: messageID)
        case 20: return .consent(Consent.allCases.randomElement(using: &generator) ?? .granted, messageID: messageID)
        case 21..<23: return .consent(.granted, messageID: nil)
        case 23: return .expire(generation)
        case 24..<27: return .bind(generation, session)
        case 27: return .bindMade(generation, session)
        case 28: return .unbind(generation, session, refused: some.first?.id ?? Record.ID(0))
        case 29: return .identify(generation, known(UserID("u\(Int.random(in: 0..<3, using: &generator))")))
        case 30: return .store(.own("x"), value ?? "v", generation)
        case 31:
            // Also ids of other calls, and of resets.
            let other = MessageID("g\(Int.random(in: 0..<6, using: &generator))")
            return .set([ValueChange(.own("x"), value)], messageID: Bool.random(using: &generator) ? messageID : other)
        case 32..<36: return .delivered(some, bytes: WireBytes(before: 1, after: 1))
        case 36..<38:
            let reasons: [DropReason] = [.rejected(422), .tooLarge, .poison, .expired]
            return .drop(some.map(\.id), generator.pick(reasons), Rejection(status: 422, attempts: 1))
        case 40:
            return .dropRefused(refused.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
        case 38: return .dropAll(.disabled)
        default: return .ensureDevice
        }
    }

    private static func opened(_ folder: TemporaryFolder, _ clock: HandClock) async throws -> SQLiteOutbox {
        try await SQLiteOutbox.opened(
            .sample(folder, clock: clock) {
                $0.limits = OutboxLimits(
                    maxRecords: LaneModel.maxRecords, overflow: .dropOldest, maxRecordBytes: 40)
                $0.limits.maxPendingRecords = LaneModel.maxPending
                $0.expiration = LaneModel.lifetime
                $0.refused = LaneModel.maxRefused
            }
        )
    }
}

/// The lane's books as the tables have them.
private final class Ledger {
    private let connection: Connection

    init(_ folder: TemporaryFolder) throws {
        connection = try Connection(folder.state.database, .readWrite)
    }

    func compare(_ model: LaneModel) throws {
        let requeued = model.requeued > 0 ? ["requeued \(model.requeued)"] : []
        let dropped = (model.dropped.map { "\($0.key) \($0.value)" } + requeued).sorted()
        try connection.statement(
            """
            SELECT accepted, delivered, queued, (SELECT count(*) FROM record) AS records, queued_bytes,
                (SELECT coalesce(sum(length(body)), 0) FROM record) AS bytes,
                (SELECT group_concat(reason || ' ' || count) FROM (SELECT * FROM dropped ORDER BY reason)) AS dropped
            FROM lane
            """
        ).rows { (row) throws(StorageError) in
            try expect(row.int("accepted"), model.accepted, "accepted")
            try expect(row.int("delivered"), model.delivered, "delivered")
            try expect([row.int("queued"), row.int("records")], [model.queue.count, model.queue.count], "queued")
            try expect(row.int("queued_bytes"), row.int("bytes"), "bytes")
            try expect(row.text("dropped") ?? "", dropped.joined(separator: ","), "dropped")
            return true
        }
    }
}

/// Says where an outbox and the model part.
private func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws(StorageError) {
    guard found == expected else { throw StorageError(.failed, "\(found), not \(expected): \(what)") }
}
