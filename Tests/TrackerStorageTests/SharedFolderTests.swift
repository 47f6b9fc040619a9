import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A shared folder", .closingOutboxes)
struct SharedFolderTests {
    let folder = TemporaryFolder()

    @Test("gives all instances of a lane one order, one sequence, one session")
    func sharesLane() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))

        await one.commit([.ensureDevice, .append("a1"), .bind(1, "s1")])
        await two.commit(.append("b1"))
        await one.commit(.append("a2"))

        #expect(try two.queue() == ["a1", "b1", "a2"])
        #expect(try two.peek(limit: 9, maxBytes: .max).records.map(\.sequence) == [1, 2, 3])
        #expect(try two.state() == one.state())
        #expect(two.value(for: .deviceID) == one.value(for: .deviceID))
        #expect(try two.peek(limit: 9, maxBytes: .max).records.map(\.acceptedAt) == [nil, .seconds(1), nil])
        await two.commit(.delivered([try two.records()[0]]))
        #expect(try one.queue() == ["b1", "a2"])
        #expect(try one.account() == two.account())
    }

    @Test("lets a reset in one instance hold in the other, for what was staged before it too")
    func sharesReset() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        await one.commit(.bind(1, "s1"))
        #expect(await two.commit(.append("m1")).summary == "queued")

        await one.commit(.reset(all: false, messageID: nil))
        let result = await two.commit(.append("m2"))

        #expect(result.summary == "pending")
        #expect(result.state?.generation == Generation(2))
        #expect(two.value(for: .sessionID) == nil)
        await two.commit(.bind(1, "late"))
        #expect(one.value(for: .sessionID) == nil)
    }

    @Test("does not take a lane for empty while another process builds the database anew")
    func waitsForRebuilding() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.consent(.pending, messageID: nil), .append("m1")])
        let (database, copy) = (folder.file("tracker.sqlite3"), folder.file("tracker.sqlite3.damaged"))

        try FileManager.default.moveItem(atPath: database, toPath: copy)
        let error = #expect(throws: StorageError.self) { try outbox.queue() }
        #expect(error?.kind == .rebuilding)
        #expect(try outbox.state().consent == .pending)
        try FileManager.default.moveItem(atPath: copy, toPath: database)

        #expect(try outbox.queue() == ["m1"])
    }

    @Test("gives the right to deliver and to make a session to one at a time, lane by lane")
    func locks() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://b.example.com")))

        #expect(one.acquireDelivery())
        #expect(one.acquireDelivery())
        #expect(!two.acquireDelivery())
        #expect(other.acquireDelivery())

        one.releaseDelivery()
        #expect(two.acquireDelivery())
        await two.close()
        #expect(one.acquireDelivery())
    }

    @Test("needs no lock in memory")
    func locksNothingInMemory() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, .memory))

        #expect(outbox.acquireDelivery())
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("names lanes with records that no process has open, also one that waits or is halted, or delivers")
    func findsStranded() async throws {
        let other = LaneIdentity(kind: .batch, owner: "key", origin: "https://b.example.com")
        let configuration = OutboxConfiguration.sample(folder, lane: other) {
            $0.bindsSessions = false
            $0.initialConsent = nil
        }
        let stranded = try await SQLiteOutbox.opened(configuration)
        await stranded.commit([.append("m1"), .append("m2")])
        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try outbox.strandedLanes().isEmpty)
        await stranded.close()
        #expect(try outbox.strandedLanes() == [StrandedLane(identity: other, records: 2)])

        let lock = DeliveryLock(path: folder.state.deliveryLock(of: other))
        #expect(lock.acquire())
        #expect(try outbox.strandedLanes().isEmpty)
        lock.end()
        let next = try await SQLiteOutbox.opened(configuration)
        await next.commit(.dropAll(.disabled))
        await next.close()
        #expect(try outbox.strandedLanes().isEmpty)
    }

    @Test("is left at once, though a child that was forked meanwhile still has its files open")
    func leavesDespiteFork() async throws {
        let stranded = try await SQLiteOutbox.opened(.sample(folder))
        await stranded.commit(.append("m1"))
        #expect(stranded.acquireDelivery())
        let other = LaneIdentity(kind: .session, owner: "926", origin: "https://b.example.com")
        let outbox = try await SQLiteOutbox.opened(.sample(folder, lane: other))
        let lane = OutboxConfiguration.sample(folder).lane
        let files = [folder.state.openLock(of: lane), folder.state.deliveryLock(of: lane)]

        // What a child has after its fork and before its exec: the same open files.
        let copies = try files.flatMap(Self.copies)
        await stranded.close()

        #expect(copies.count >= 2)
        #expect(try outbox.strandedLanes() == [StrandedLane(identity: lane, records: 1)])
        for copy in copies { close(copy) }
    }

    /// Duplicates this process' descriptors of a file.
    private static func copies(of path: String) throws -> [Int32] {
        var wanted = stat()
        try unsafe #require(stat(path, &wanted) == 0)
        return (Int32(0)..<4096).filter { number in
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { return false }
            return (status.st_dev, status.st_ino) == (wanted.st_dev, wanted.st_ino)
        }.map { dup($0) }
    }

    @Test(
        "moves what was queued again, although its lane has never accepted it, unless it is an earlier user's",
        arguments: [false, true])
    func adoptsRequeued(isOfEarlierUser: Bool) async throws {
        let (a, b) = (LaneIdentity.session("https://a.example.com"), LaneIdentity.session("https://b.example.com"))
        let first = try await SQLiteOutbox.opened(
            .sample(folder, lane: a) { $0.inspect = { _, _, _ in .refuse("It is not in the plan.") } })
        #expect(await first.commit(.append("m1")).summary == "refused plan")
        if isOfEarlierUser { await first.commit(.reset(all: false, messageID: nil)) }
        #expect(await first.commit(.requeue(try first.refused().map(\.id))).summary == "changed 1")
        await first.close()

        let second = SQLiteOutbox.made(.sample(folder, lane: b))
        #expect(try await second.open().get().movedRecords == (isOfEarlierUser ? 0 : 1))

        let third = try await SQLiteOutbox.opened(.sample(folder, lane: a))
        #expect(try third.queue() == (isOfEarlierUser ? ["m1"] : []))
        #expect(await third.commit(.append("m2")).summary == "pending")
        #expect(try third.account().isBalanced && second.account().isBalanced)
        #expect(!folder.exists("tracker.sqlite3.corrupt-1"))
    }

    @Test("moves what was never bound to the lane of the same brand that opens next, in order")
    func adoptsUnbound() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        await first.commit([
            .bind(1, "s1"), .append("bound"), .reset(all: false, messageID: nil), .append("m1", given: true),
            .append("m2"),
        ])
        await first.close()
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://b.example.com")))
        await second.close()
        let third = SQLiteOutbox.made(.sample(folder, lane: .session("https://c.example.com")))

        let opening = try await third.open().get()

        #expect(opening.movedRecords == 2)
        #expect(opening.state.queuedRecords == 2)
        #expect(
            try third.peek(limit: 9, maxBytes: .max).records.map { "\($0.messageID) \($0.sequence)" } == [
                "m1 1", "m2 2",
            ])
        #expect(
            try third.account()
                == Account(
                    accepted: 0, recovered: 2, delivered: 0, queued: 2, dropped: [:],
                    bytes: WireBytes(before: 0, after: 0)
                ))
        #expect(await third.commit(.append("m1", given: true)).summary == "pending")
        #expect(try third.queue() == ["m1", "m2"])
        #expect(third.acquireDelivery())
        let again = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        #expect(try again.queue() == ["bound"])
        #expect(try again.account().isBalanced)
        #expect(try balancedLanes() == 3)
    }

    @Test("keeps a caller's key unique over a lane and the one that its records move to")
    func keepsKeysUnique() async throws {
        let (a, b) = (LaneIdentity.session("https://a.example.com"), LaneIdentity.session("https://b.example.com"))
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: b))
        await first.commit([.bind(1, "s1"), .append("both", given: true), .append("done", given: true)])
        await first.commit(.delivered([try first.records()[1]]))
        await first.close()
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: a))
        await second.commit(["both", "done", "own"].map { .append($0, given: true) })
        await second.close()

        let third = SQLiteOutbox.made(.sample(folder, lane: b))
        #expect(try await third.open().get().movedRecords == 1)

        #expect(try third.queue() == ["both", "own"])
        #expect(try third.account() == .sample(recovered: 2, queued: 2))
        let fourth = try await SQLiteOutbox.opened(.sample(folder, lane: a))
        for id in ["both", "done", "own"] {
            #expect(await third.commit(.append(id, given: true)).state?.queuedRecords == 2)
            #expect(await fourth.commit(.append(id, given: true)).summary == "pending")
        }
        #expect(try fourth.queue() == [])
        #expect(try fourth.account().isBalanced)
        #expect(try balancedLanes() == 2)
    }

    @Test("moves nothing from a lane that somebody delivers, nor from another brand's")
    func leavesOthersAlone() async throws {
        let live = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        await live.commit(.append("m1"))
        #expect(live.acquireDelivery())
        let foreign = try await SQLiteOutbox.opened(
            .sample(folder, lane: LaneIdentity(kind: .session, owner: "7", origin: "https://a.example.com"))
        )
        await foreign.commit(.append("m2"))

        let outbox = SQLiteOutbox.made(.sample(folder, lane: .session("https://b.example.com")))

        #expect(try await outbox.open().get().movedRecords == 0)
        #expect(try live.queue() == ["m1"])
        #expect(try foreign.queue() == ["m2"])
        await foreign.commit(.append("m3"))
        #expect(foreign.acquireDelivery(), "The right to deliver was not given back")
    }

    @Test("moves what a lane offers that makes no session, until it takes the offer back")
    func takesOfferBack() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        await one.commit(.append("m1"))
        one.offerUnbound()
        one.keepUnbound()
        await one.commit(.barrier)
        let early = SQLiteOutbox.made(.sample(folder, lane: .session("https://b.example.com")))
        #expect(try await early.open().get().movedRecords == 0)

        one.offerUnbound()
        await one.commit(.barrier)

        let late = SQLiteOutbox.made(.sample(folder, lane: .session("https://c.example.com")))
        #expect(try await late.open().get().movedRecords == 1)
    }

    @Test("moves nothing from a lane that another has open, which may be about to make its session")
    func leavesOpenAlone() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        let two = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://a.example.com")))
        await one.commit(.append("m1"))
        let early = SQLiteOutbox.made(.sample(folder, lane: .session("https://b.example.com")))
        #expect(try await early.open().get().movedRecords == 0)
        await one.commit([.bind(1, "s1"), .append("m2")])
        #expect(try one.queue() == ["m1", "m2"])
        await one.commit([.reset(all: true, messageID: nil), .append("m3")])
        await one.close()
        let late = SQLiteOutbox.made(.sample(folder, lane: .session("https://c.example.com")))
        #expect(try await late.open().get().movedRecords == 0)

        await two.close()

        let last = SQLiteOutbox.made(.sample(folder, lane: .session("https://d.example.com")))
        #expect(try await last.open().get().movedRecords == 1)
        #expect(try last.queue() == ["m3"])
        #expect(try balancedLanes() == 4)
    }

    /// A lane without sessions, which takes over what waits in others that it names.
    private func configuration(
        _ lane: LaneIdentity, takesOver: [LaneIdentity], maxRecords: Int = 10_000, log: EventLog = EventLog()
    ) -> OutboxConfiguration {
        .sample(folder, lane: lane, log: log) {
            $0.bindsSessions = false
            $0.initialConsent = nil
            $0.takesOver = takesOver
            $0.limits.maxRecords = maxRecords
            $0.limits.overflow = .dropOldest
        }
    }

    @Test("moves all records of a lane that the opening one names")
    func adoptsNamed() async throws {
        let (old, new) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        let first = try await SQLiteOutbox.opened(configuration(old, takesOver: [], maxRecords: 2))
        await first.commit([.append("m1"), .append("m2")])
        await first.close()
        let second = try await SQLiteOutbox.opened(configuration(new, takesOver: [], maxRecords: 2))
        await second.commit(.append("m0"))
        await second.close()

        let third = try await SQLiteOutbox.opened(configuration(new, takesOver: [old], maxRecords: 2))

        #expect(try third.queue() == ["m1", "m2"])
        #expect(try third.account() == .sample(recovered: 3, queued: 2, dropped: [.evicted: 1]))
        #expect(try balancedLanes() == 2)
        await third.close()
        let again = try await SQLiteOutbox.opened(configuration(old, takesOver: [], maxRecords: 2))
        #expect(try again.account() == .sample())
    }

    @Test("takes over the values of a lane that the opening one names: none where that has none")
    func adoptsValues() async throws {
        let (old, new) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        let (user, group) = (StoredKey.own("user_id"), StoredKey.own("group_id"))
        let first = try await SQLiteOutbox.opened(configuration(new, takesOver: []))
        await first.commit([.store(user, "earlier", nil), .store(group, "earlier", nil), .store(.own("x"), "x", nil)])
        await first.close()
        let second = try await SQLiteOutbox.opened(configuration(old, takesOver: []))
        await second.commit([.append("m1"), .store(user, "u1", nil)])
        await second.close()

        var configuration = configuration(new, takesOver: [old])
        configuration.takesOverValues = [user, group]
        let third = try await SQLiteOutbox.opened(configuration)

        #expect([user, group, .own("x")].map { third.value(for: $0) } == ["u1", nil, "x"])
        #expect(try third.queue() == ["m1"])
    }

    @Test("leaves metadata behind that would leave the events of the session no room")
    func leavesMetadata() async throws {
        let text = { (name: String) in
            try JSONText(validating: #"{"\#(name)":"\#(String(repeating: "x", count: 150))"}"#)
        }
        let configuration = { (origin: String) in
            OutboxConfiguration.sample(self.folder, lane: .session(origin)) { $0.limits.maxRecordBytes = 400 }
        }
        let first = try await SQLiteOutbox.opened(configuration("https://a.example.com"))
        await first.commit([.bind(1, "s1"), .append(Draft.sample("m1", sessionMetadata: try text("a")))])
        await first.close()
        let second = try await SQLiteOutbox.opened(configuration("https://b.example.com"))
        await second.commit(.append(Draft.sample("m2", sessionMetadata: try text("b"))))
        await second.close()

        let last = try await SQLiteOutbox.opened(configuration("https://a.example.com"))

        #expect(try last.queue() == ["m1", "m2"])
        #expect(last.value(for: .sessionMetadata) == (try text("a").text))
    }

    @Test("moves what the server has refused of a lane that the opening one names, though nothing is queued there")
    func adoptsRefused() async throws {
        let (old, new) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        let first = try await SQLiteOutbox.opened(configuration(old, takesOver: []))
        await first.commit([.append("m1", given: true), .append("m2")])
        await first.commit(.drop(try first.ids(), .rejected(404), Rejection(status: 404, attempts: 1)))
        await first.close()

        let second = try await SQLiteOutbox.opened(configuration(new, takesOver: [old]))

        #expect(try second.refused().map(\.messageID.text) == ["m1", "m2"])
        #expect(try second.refused().allSatisfy { $0.reason == .rejected(404) && $0.rejection.status == 404 })
        #expect(try second.account() == .sample())
        #expect(await second.commit(.append("m1", given: true)).summary == "queued")
        #expect(try second.queue() == [])
        #expect(await second.commit(.requeue(try second.refused().map(\.id))).summary == "changed 2")
        #expect(try second.queue() == ["m1", "m2"])
        #expect(try second.account() == .sample(requeued: 2, queued: 2))
        await second.close()
        let again = try await SQLiteOutbox.opened(configuration(old, takesOver: []))
        #expect(try again.refused().isEmpty && again.account() == .sample())
    }

    @Test("brings a record with its caller's key back to the lane that it came from, and knows the key in both")
    func returns() async throws {
        let (a, b) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        var outbox = try await SQLiteOutbox.opened(configuration(a, takesOver: [b]))
        await outbox.commit([.append("m1", given: true), .append("m2")])
        for (lane, other) in [(b, a), (a, b), (b, a), (a, b)] {
            await outbox.close()
            outbox = try await SQLiteOutbox.opened(configuration(lane, takesOver: [other]))

            #expect(try outbox.queue() == ["m1", "m2"])
            #expect(try outbox.account() == .sample(recovered: 2, queued: 2))
            #expect(await outbox.commit(.append("m1", given: true)).summary == "queued")
            #expect(try outbox.queue() == ["m1", "m2"])
        }
        await outbox.commit(.delivered(try outbox.records()))
        await outbox.close()
        outbox = try await SQLiteOutbox.opened(configuration(b, takesOver: [a]))
        #expect(await outbox.commit(.append("m1", given: true)).summary == "queued")
        #expect(try outbox.queue() == [])
        await outbox.close()
    }

    @Test("leaves an account that makes sense where records were moved from an open lane")
    func settlesDonor() async throws {
        let (old, new) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        let log = EventLog()
        let first = try await SQLiteOutbox.opened(configuration(old, takesOver: [], log: log))
        await first.commit([.append("m1"), .append("m2")])
        let second = try await SQLiteOutbox.opened(configuration(old, takesOver: [], log: log))
        await second.commit(.append("m3"))

        let third = try await SQLiteOutbox.opened(configuration(new, takesOver: [old]))

        #expect(try third.account() == .sample(recovered: 3, queued: 3))
        #expect(try first.account() == .sample())
        #expect(try second.account() == .sample())
        await second.commit(.append("m4"))
        #expect(try second.account() == .sample(recovered: 1, queued: 1))
        await first.commit(.append("m5"))
        #expect(try first.account() == .sample(accepted: 2, queued: 2))
        #expect(log.ofRecords == [])
        await third.close()
    }

    @Test("lets four instances that write at once all make progress, losing and mixing up nothing")
    func writesConcurrently() async throws {
        let count = 250
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [folder] in
                    let outbox = try await SQLiteOutbox.opened(.sample(folder))
                    for number in 0..<count {
                        let summary = await outbox.commit(.append("\(writer)-\(number)")).summary
                        #expect(summary == "pending")
                    }
                    await outbox.close()
                }
            }
            try await group.waitForAll()
        }

        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let records = try outbox.peek(limit: .max, maxBytes: .max).records
        #expect(records.map(\.sequence) == (1...Int64(4 * count)).map { $0 })
        for writer in 0..<4 {
            let own = records.map(\.messageID.text).filter { $0.hasPrefix("\(writer)-") }
            #expect(own == (0..<count).map { "\(writer)-\($0)" })
        }
        #expect(try balancedLanes() == 1)
    }

    /// How many lanes have books that are balanced.
    private func balancedLanes() throws -> Int64? {
        try folder.number(
            """
            SELECT count(*) FROM lane WHERE accepted = delivered + queued
                + (SELECT coalesce(sum(count), 0) FROM dropped WHERE lane = lane.id)
                AND queued = (SELECT count(*) FROM record WHERE id >> 44 = lane.id)
            """
        )
    }
}
