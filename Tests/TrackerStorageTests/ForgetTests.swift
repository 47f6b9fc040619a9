import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Forgetting a person", .closingOutboxes)
struct ForgetTests {
    let folder = TemporaryFolder()

    private static let person = "SECRET-PERSON"
    private static let visitor = "SECRET-VISITOR"
    private static let both: [Person] = [.user(person), .anonymous(visitor)]

    // MARK: What goes, and what stays

    @Test("erases what waits and what was refused of them in every lane of the folder, and leaves all else")
    func erases() async throws {
        let batch = try await batch()
        let basic = try await basic()
        await batch.commit([
            .store(.own("user_id"), Self.person, nil), .store(.own("anonymous_id"), Self.visitor, nil),
            .store(.own("advertising_id"), "SECRET-ADVERTISING", nil), .store(.own("halt"), "stays", nil),
            .event("b1", user: Self.person), .event("b2", user: "other", visitor: "other"),
            .event("b3", visitor: Self.visitor), .event("b4", user: Self.person), .event("b5"),
        ])
        await batch.commit(.drop([try batch.ids()[3]], .rejected(422)))
        await basic.commit([.event("e1", .endpoint, user: Self.person), .event("e2", .endpoint, user: "other")])
        let session = try await session(of: Self.person)
        let spared = try await SQLiteOutbox.opened(
            .sample(folder, lane: LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")) {
                $0.keyPrefix = "__GT_7_"
            })
        await spared.commit([.ensureDevice, .bind(1, "s7"), .identify(Generation(1), known(UserID("other")))])
        await spared.commit(.append("o1"))
        try folder.write(Data(Self.person.utf8), to: "tracker.sqlite3.corrupt-1")
        #expect(try folder.search(for: [Self.person]).count > 3, "The search finds what is there")

        let result = await batch.commit(.forget(Self.both))

        // Two that wait and one that was refused; one; of the session two events, a profile and one that was refused.
        #expect(result.summary == "changed 8")
        #expect(try batch.queue() == ["b2", "b5"] && basic.queue() == ["e2"] && session.queue() == [])
        #expect(try batch.refused().isEmpty && session.refused().isEmpty)
        #expect(try batch.account().dropped == [.forgotten: 2, .rejected(422): 1])
        for outbox in [batch, basic, session, spared] { #expect(try outbox.account().isBalanced) }
        #expect(batch.value(for: .own("user_id")) == nil && batch.value(for: .own("anonymous_id")) == nil)
        #expect(batch.value(for: .own("halt")) == "stays")
        #expect(try spared.queue() == ["o1"])
        #expect(spared.value(for: .sessionID) == "s7" && spared.value(for: .identifyID) == "other")
        for secret in [Self.person, Self.visitor, "SECRET-ADVERTISING", "SECRET-SESSION", "SECRET-BODY"] {
            #expect(try folder.search(for: [secret]) == [], "\(secret)")
        }
        for outbox in [batch, basic, session, spared] { await outbox.close() }
        for secret in [Self.person, Self.visitor] { #expect(try folder.files(holding: secret) == []) }
        #expect(!folder.exists("tracker.sqlite3.corrupt-1") && !folder.exists("backup/erasure"))
    }

    @Test("of a session takes all of it, also with a profile that still waits, and its device")
    func endsSession() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .append("m1"), .event("p1", .profile, key: "user_id", user: Self.person),
            .append("m2"),
        ])
        let device = try #require(outbox.value(for: .deviceID))
        let batch = try await batch()

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "changed 3")

        let state = try outbox.state()
        #expect(state.generation == Generation(2) && state.entry == GenerationEntry() && state.queuedRecords == 0)
        #expect(outbox.value(for: .sessionID) == nil && outbox.value(for: .deviceID) == nil)
        #expect(await outbox.commit(.append("m3")).summary == "pending")
        await outbox.close()
        await batch.close()
        for secret in [Self.person, device] { #expect(try folder.files(holding: secret) == []) }
    }

    @Test("of a session takes what was refused before they were identified, also once another session has followed")
    func refusedBefore() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1", body: #"{"card":"secret-of-theirs"}"#)])
        await outbox.commit(
            .drop(try outbox.ids(), .rejected(422), Rejection(status: 422, body: "no".utf8, attempts: 1)))
        await outbox.commit([
            .identify(Generation(1), try #require(UserID(Self.person))), .reset(all: false, messageID: nil),
            .bind(2, "s2"), .append("m2"),
        ])
        #expect(try outbox.refused().count == 1)
        let batch = try await batch()

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "changed 1")

        #expect(try outbox.refused().isEmpty && outbox.queue() == ["m2"])
        await outbox.close()
        await batch.close()
        #expect(try folder.files(holding: "secret-of-theirs") == [])
    }

    @Test("of an earlier session leaves the one that has followed it")
    func keepsLaterSession() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([
            .bind(1, "s1"), .identify(Generation(1), known(UserID(Self.person))), .append("m1"),
            .reset(all: false, messageID: nil), .bind(2, "s2"), .append("m2"),
        ])
        #expect(try outbox.queue() == ["m1", "m2"])

        #expect(await outbox.commit(.forget([.user(Self.person)])).summary == "changed 1")

        #expect(try outbox.queue() == ["m2"])
        #expect(try outbox.state().entry.session?.text == "s2")
        #expect(try folder.search(for: [Self.person]) == [])
    }

    @Test("leaves another user the device that the person has not used", arguments: [true, false])
    func device(isOther: Bool) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .identify(Generation(1), known(UserID(Self.person))), .append("m1"),
        ])
        let device = try #require(outbox.value(for: .deviceID))
        await outbox.commit([
            isOther ? .reset(all: false, messageID: nil) : .expire(Generation(1)), .ensureDevice, .bind(2, "s2"),
            .append("m2"),
        ])
        let found = try #require(outbox.value(for: .deviceID))
        #expect((found == device) == !isOther)

        #expect(await outbox.commit(.forget([.user(Self.person)])).summary == "changed 1")

        let state = try outbox.state()
        #expect(state.entry.session == SessionID("s2") && state.entry.device?.text == outbox.value(for: .deviceID))
        #expect((outbox.value(for: .deviceID) == found) == isOther && outbox.value(for: .deviceID) != nil)
        await outbox.close()
        #expect(try folder.files(holding: device) == [])
    }

    @Test("is not undone by a late answer to the identification")
    func lateAnswer() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        await outbox.commit(.forget([.user(Self.person)]))

        await outbox.commit(.identify(Generation(1), known(UserID(Self.person))))

        #expect(try outbox.state().entry.identifyID == nil && outbox.value(for: .identifyID) == nil)
        #expect(try outbox.queue() == ["m1"])
        #expect(try folder.search(for: [Self.person]) == [])
    }

    @Test("counts nothing as delivered whose answer comes later")
    func lateDelivery() async throws {
        let batch = try await batch()
        await batch.commit([.event("b1", user: Self.person), .event("b2", user: "other")])
        let records = try batch.records()
        await batch.commit(.forget([.user(Self.person)]))

        await batch.commit(.delivered(records, bytes: WireBytes(before: 2, after: 1)))

        let account = try batch.account()
        #expect(account.delivered == 1 && account.dropped == [.forgotten: 1] && account.isBalanced)
        #expect(await batch.commit(.forget([.user("x")])).state?.deliveredRecords == 1)
    }

    // MARK: Later calls

    @Test("refuses their later calls in every lane, until that is taken back", arguments: Place.allCases)
    func refusesLater(place: Place) async throws {
        let batch = try await batch(place)
        await batch.commit(.forget(Self.both))
        let calls: [LaneChange] = [
            .event("b1", user: Self.person), .event("b2", visitor: Self.visitor), .event("b3", user: "other"),
            .event("b4", user: Self.visitor), .event("b5"),
        ]

        #expect(
            await batch.commit(calls).map(\.summary)
                == ["refused forgotten", "refused forgotten", "queued", "queued", "queued"])
        #expect(await batch.commit(.unforget([.user(Self.person)])).summary == "changed 1")
        #expect(await batch.commit(.unforget([.user(Self.person)])).summary == "changed 0")

        #expect(await batch.commit(.event("b1", user: Self.person)).summary == "queued")
        #expect(await batch.commit(.event("b2", visitor: Self.visitor)).summary == "refused forgotten")
        #expect(try batch.account().accepted == 4)
        await batch.close()
    }

    @Test("refuses them in other lanes and processes, and after a restart")
    func refusesElsewhere() async throws {
        let batch = try await batch()
        let basic = try await basic()
        let session = try await SQLiteOutbox.opened(.sample(folder))
        await session.commit(.bind(1, "s1"))
        await batch.commit(.forget([.user(Self.person)]))

        #expect(await basic.commit(.event("e1", .endpoint, user: Self.person)).summary == "refused forgotten")
        let profile = LaneChange.event("p1", .profile, key: "user_id", user: Self.person)
        #expect(await session.commit(profile).summary == "refused forgotten")
        #expect(await session.commit(.append("m1")).summary == "queued")
        await batch.close()
        let again = try await self.batch()
        #expect(await again.commit(.event("b1", user: Self.person)).summary == "refused forgotten")
        await again.close()
    }

    @Test("keeps nothing that a refused call would have changed, and its key can be used again")
    func changesNothing() async throws {
        let batch = try await batch()
        await batch.commit(.forget([.user(Self.person)]))
        let values = [ValueChange(.own("user_id"), Self.person)]
        let call = LaneChange.event("b1", given: true, user: Self.person, values: values)

        #expect(await batch.commit(call).summary == "refused forgotten")
        #expect(batch.value(for: .own("user_id")) == nil)
        await batch.commit(.unforget([.user(Self.person)]))

        #expect(await batch.commit(call).summary == "queued")
        #expect(batch.value(for: .own("user_id")) == Self.person)
    }

    @Test("takes ids by their bytes: another spelling of the same characters is another person")
    func spelling() async throws {
        let batch = try await batch()
        await batch.commit(.forget([.user("Jos\u{E9}")]))

        let results = await batch.commit([
            .event("b1", user: "Jose\u{301}"), .event("b2", user: "Jos\u{E9}"), .event("b3", user: "Jose\u{301}"),
        ])

        #expect(results.map(\.summary) == ["queued", "refused forgotten", "queued"])
    }

    @Test("takes 10,000 ids, and refuses more before anything changes")
    func limit() async throws {
        let batch = try await batch()
        await batch.commit(.event("b1", user: Self.person))
        let persons = (1...ForgottenList.limit).map { Person.user("user-\($0)") }
        #expect(await batch.commit(.forget(persons)).summary == "changed 0")

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "refused queueFull")
        #expect(try batch.queue() == ["b1"])
        #expect(await batch.commit(.forget([persons[0]])).summary == "changed 0", "It is on the list already")
        #expect(await batch.commit(.unforget([persons[9]])).summary == "changed 1")

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "changed 1")
        #expect(try folder.number("SELECT count(*) FROM forgotten") == 10_000)
        await batch.close()
    }

    // MARK: The files

    @Test("erases the backups of other brands, also of a lane that the database does not know")
    func otherBackups() async throws {
        let other = try await batch(owner: "other")
        await other.commit([.store(.own("user_id"), Self.person, nil), .store(.own("anonymous_id"), "a", nil)])
        await other.close()
        let lane = LaneIdentity(kind: .batch, owner: "unknown", origin: "https://in.example.com")
        let files = BackupFiles(folder.state, lane).lane
        try files.save(
            StoredValue(text: Self.person, expires: Timestamp(milliseconds: .max), generation: 1),
            for: "__GT_analytics_user_id")
        #expect(try folder.files(holding: Self.person).count == 3)
        let batch = try await batch()

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "changed 0")

        await batch.close()
        #expect(try folder.files(holding: Self.person) == [])
        let again = try await self.batch(owner: "other")
        #expect(again.value(for: .own("user_id")) == nil && again.value(for: .own("anonymous_id")) == nil)
    }

    @Test("that a crash has broken off is finished by the next to open, of whichever lane")
    func isFinished() async throws {
        let batch = try await batch()
        await batch.commit([.store(.own("user_id"), Self.person, nil), .event("b1", user: Self.person)])
        let backup = try Self.backedUpUser(folder)
        let before = try folder.read(backup)
        let lock = try LockedFile(folder.state.backupLock)
        // The commit is on disk, and the next step does not come.
        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "failed busy")
        let left = try folder.cloned()
        lock.unlock()
        await batch.close()
        #expect(try left.read(backup) == before)

        let next = try await SQLiteOutbox.opened(.sample(left))
        await next.commit(.barrier)

        #expect(await next.commit(.event("x", .endpoint, user: Self.person)).summary == "refused forgotten")
        await next.close()
        #expect(try left.files(holding: Self.person) == [])
    }

    @Test("is finished although a denial follows before it is")
    func denialFollows() async throws {
        let other = try await batch(owner: "other")
        await other.commit(.store(.own("user_id"), Self.person, nil))
        await other.close()
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let lock = try LockedFile(folder.state.backupLock)
        #expect(await outbox.commit(.forget([.user(Self.person)])).summary == "failed busy")
        #expect(await outbox.commit(.consent(.denied, messageID: nil)).summary == "failed busy")
        #expect(try folder.number("SELECT value FROM meta WHERE name = 'erase'") == 0)
        lock.unlock()

        #expect(await outbox.commit(.consent(.denied, messageID: nil)).summary == "done")

        await outbox.close()
        #expect(try folder.files(holding: Self.person) == [])
    }

    @Test("holds where an older database is put back, and erases again")
    func olderDatabase() async throws {
        let first = try await batch()
        await first.commit([.store(.own("user_id"), Self.person, nil), .event("b1", user: Self.person), .event("b2")])
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await batch()
        #expect(await second.commit(.forget([.user(Self.person)])).summary == "changed 1")
        await second.close()
        for suffix in ["-wal", "-shm"] { try? folder.remove("tracker.sqlite3\(suffix)") }
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await batch()
        await third.commit(.barrier)

        #expect(try third.queue() == ["b2"])
        #expect(await third.commit(.event("b3", user: Self.person)).summary == "refused forgotten")
        await third.close()
        #expect(try folder.files(holding: Self.person) == [])
    }

    @Test("holds after the database was removed or damaged", arguments: [nil, Damage.firstPage, .randomPages])
    func withoutDatabase(damage: Damage?) async throws {
        let first = try await batch()
        await first.commit(.forget(Self.both))
        await first.commit((1...200).map { .event("b\($0)", user: "user-\($0)") })
        await first.close()
        if let damage { try damage.apply(folder) } else { try folder.remove("tracker.sqlite3") }

        let next = try await batch()

        #expect(await next.commit(.event("x", user: Self.person)).summary == "refused forgotten")
        #expect(await next.commit(.event("y", visitor: Self.visitor)).summary == "refused forgotten")
        await next.close()
    }

    @Test("goes on with the list of a damaged database that is newer than the backup")
    func damagedDatabaseIsNewer() async throws {
        let first = try await batch()
        await first.commit(.forget([.user(Self.person)]))
        try folder.copy("backup/forgotten", to: "old")
        await first.commit(.forget([.user("second")]))
        await first.close()
        try folder.move("old", to: "backup/forgotten")
        try folder.move("tracker.sqlite3", to: "tracker.sqlite3.damaged")

        let next = try await batch()

        #expect(await next.commit(.event("x", user: "second")).summary == "refused forgotten")
        #expect(await next.commit(.event("y", user: Self.person)).summary == "refused forgotten")
        await next.close()
        #expect(try folder.state.forgottenList?.changes == 2, "The backup is as the database again")
    }

    @Test("of what a damaged database brings back erases again")
    func damagedAndOld() async throws {
        let first = try await batch()
        await first.commit(.store(.own("user_id"), Self.person, nil))
        await first.commit((1...50).map { .event("b\($0)", user: Self.person) })
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await batch()
        #expect(await second.commit(.forget([.user(Self.person)])).summary == "changed 50")
        await second.close()
        for suffix in ["", "-wal", "-shm"] { try? folder.remove("tracker.sqlite3\(suffix)") }
        try folder.move("old", to: "tracker.sqlite3.damaged")

        let third = try await batch()
        await third.commit(.barrier)

        #expect(try third.queue() == [])
        await third.close()
        #expect(try folder.files(holding: Self.person) == [])
    }

    @Test("that the disk refuses holds back what waits, and is written first")
    func diskRefuses() async throws {
        let batch = try await batch()
        await batch.commit([.event("b1", user: Self.person), .event("b2")])
        try batch.refuseWrites(true)

        #expect(await batch.commit(.forget([.user(Self.person)])).summary == "failed readOnly")
        #expect(try batch.state().isAwaitingDisk && batch.queue() == [])
        #expect(await batch.commit(.unforget([.user("x")])).summary == "refused storage")
        try batch.refuseWrites(false)
        #expect(await batch.commit(.event("b3", user: Self.person)).summary == "refused forgotten")

        #expect(try batch.queue() == ["b2"] && batch.state().isAwaitingDisk == false)
        await batch.commit(.barrier)
        await batch.close()
        #expect(try folder.files(holding: Self.person) == [])
    }

    @Test("keeps of an id only a hash, which is another one in another folder")
    func hashes() async throws {
        let elsewhere = TemporaryFolder()
        var lists: [ForgottenList] = []
        for folder in [folder, elsewhere] {
            let outbox = try await SQLiteOutbox.opened(.sample(folder))
            await outbox.commit(.forget([.user(Self.person), .anonymous(Self.person)]))
            await outbox.close()
            lists.append(try #require(try folder.state.forgottenList))
            #expect(try folder.files(holding: Self.person) == [])
        }

        #expect(lists.allSatisfy { $0.hashes.count == 2 && $0.contains(.user(Self.person)) })
        #expect(lists[0].hashes.isDisjoint(with: lists[1].hashes))
        #expect(ForgottenList(text: lists[0].text) == lists[0])
        #expect(["", "1", "1 x", "-1 2", "9223372036854775807 1"].allSatisfy { ForgottenList(text: $0) == nil })
    }

    // MARK: The schema

    @Test("a database of the version before knows nobody to forget, and can")
    func upgrades() async throws {
        let first = try await batch()
        await first.commit(.event("b1", user: Self.person))
        await first.close()
        try folder.giveFormerNames()
        try folder.execute(
            """
            DROP TABLE forgotten; DELETE FROM meta WHERE name = 'salt'; ALTER TABLE lane DROP COLUMN erased;
            PRAGMA user_version=6
            """)

        let next = try await batch()

        #expect(try next.queue() == ["b1"] && next.state().forgets == 0)
        #expect(await next.commit(.forget([.user(Self.person)])).summary == "changed 1")
        await next.close()
        #expect(try folder.files(holding: Self.person) == [])
    }

    @Test("the text of the schema fits into the first page")
    func fitsFirstPage() async throws {
        let batch = try await batch()
        await batch.close()

        // The kind of a page that has no pages below it (SQLite's file format, 1.6), after the file's header.
        #expect(try folder.read("tracker.sqlite3")[100] == 13)
    }

    // MARK: Lanes

    private func batch(_ place: Place = .disk, owner: String = "key") async throws -> SQLiteOutbox {
        let lane = LaneIdentity(kind: .batch, owner: owner, origin: "https://in.example.com")
        return try await SQLiteOutbox.opened(
            .sample(folder, place, lane: lane) {
                ($0.keyPrefix, $0.initialConsent, $0.bindsSessions) = ("__GT_analytics_", nil, false)
            })
    }

    private func basic() async throws -> SQLiteOutbox {
        try await SQLiteOutbox.opened(
            .sample(folder, lane: .endpoint("e")) {
                ($0.keyPrefix, $0.initialConsent, $0.bindsSessions) = ("__GT_basic_", nil, false)
            })
    }

    /// A session that was identified, with three records that wait and one that was refused.
    private func session(of user: String) async throws -> SQLiteOutbox {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([
            .ensureDevice, .bind(1, "SECRET-SESSION"), .identify(Generation(1), known(UserID(user))),
            .append("m1", body: #"{"text":"SECRET-BODY"}"#), .append("m2"),
            .event("p1", .profile, key: "user_id", user: user), .append("m3", body: #"{"text":"SECRET-BODY"}"#),
        ])
        await outbox.commit(.drop([try outbox.ids()[3]], .rejected(422)))
        return outbox
    }

    /// The path of the user's backup in a lane of batches.
    private static func backedUpUser(_ folder: TemporaryFolder) throws -> String {
        try #require(folder.files.first { $0.hasSuffix("__GT_analytics_user_id") })
    }
}

extension LaneChange {
    /// Queues a record that names a person.
    fileprivate static func event(
        _ id: String, _ route: Route = .batch, given: Bool = false, key: String = "userId", user: String? = nil,
        visitor: String? = nil, values: [ValueChange] = []
    ) -> LaneChange {
        var body = JSONObjectWriter()
        body.append("type", "track")
        if let user { body.append(key, user) }
        if let visitor { body.append("anonymousId", visitor) }
        return .append(
            Draft(
                CallStamp(
                    messageID: known(MessageID(id)), hasCallerKey: given,
                    occurredAt: Timestamp(milliseconds: 1_700_000_000_000), acceptedAt: .seconds(1)),
                Draft.Content(route, .complete(body.finish()), values: values)))
    }
}
