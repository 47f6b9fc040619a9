import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("An outbox", .closingOutboxes)
struct OutboxTests {
    let folder = TemporaryFolder()

    @Test("gives back what was queued, in order, with its sequence", arguments: Place.allCases)
    func keepsOrder(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))

        await outbox.commit((1...5).map { .append("m\($0)") })

        let records = try outbox.peek(limit: 10, maxBytes: .max).records
        #expect(records.map(\.messageID.text) == ["m1", "m2", "m3", "m4", "m5"])
        #expect(records.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(records.allSatisfy { $0.acceptedAt == .seconds(1) && $0.body.text == #"{"event":"x"}"# })
    }

    @Test("answers pending without a session and queued with one", arguments: Place.allCases)
    func tellsPendingFromQueued(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))

        let results = await outbox.commit([.append("m1"), .bind(1, "s1"), .append("m2")])

        #expect(results.map(\.summary) == ["pending", "done", "queued"])
        #expect(results.last?.state?.entry.session == SessionID("s1"))
        #expect(results.last?.state?.queuedRecords == 2)
        #expect(results.last?.state?.lastSequence == 2)
    }

    @Test("peeks as many as asked for, within the bytes asked for, and always the first")
    func boundsPeeks() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit((1...5).map { .append("m\($0)") })

        #expect(try outbox.peek(limit: 2, maxBytes: .max).records.count == 2)
        #expect(try outbox.peek(limit: 5, maxBytes: 39).records.count == 3)
        #expect(try outbox.peek(limit: 5, maxBytes: 1).records.count == 1)
        #expect(try outbox.peek(limit: 0, maxBytes: .max).records.isEmpty)
    }

    @Test("leaves out what the caller names, and never forgets it", arguments: Place.allCases)
    func excludes(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit((1...5).map { .append("m\($0)") })
        let records = try outbox.records()
        let ids = records.map(\.id)

        let rest = try outbox.peek(limit: 2, maxBytes: .max, excluding: Set(ids.prefix(2)))
        // What is settled behind them must not hide them.
        outbox.stage(.delivered([records[2]])) { _ in }
        let next = try outbox.peek(limit: 9, maxBytes: .max, excluding: Set(ids.prefix(2)))
        let all = try outbox.peek(limit: 9, maxBytes: .max)

        #expect(rest.records.map(\.sequence) == [3, 4])
        #expect(next.records.map(\.sequence) == [4, 5])
        #expect(all.records.map(\.sequence) == [1, 2, 4, 5])
    }

    @Test("says whether anything was written since a read", arguments: Place.allCases)
    func versions(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit(.append("m1"))
        let peek = try outbox.peek(limit: 9, maxBytes: .max)
        let version = try #require(peek.version)
        #expect(try outbox.isUnchanged(since: version))

        await outbox.commit(.append("m2"))
        #expect(try !outbox.isUnchanged(since: version))
        let first = try #require(peek.records.first)
        let next = try #require(try outbox.state(ifQueued: first.id)?.version)
        #expect(try outbox.isUnchanged(since: next))
        if place == .disk {
            let other = try await SQLiteOutbox.opened(.sample(folder))
            await other.commit(.reset(all: false, messageID: nil))
            #expect(try !outbox.isUnchanged(since: next))
        }
    }

    @Test("peeks a group that has gone out before to its end, whatever the limits")
    func peeksGroups() async throws {
        let configuration = OutboxConfiguration.sample(folder) { $0.bindsSessions = false }
        let outbox = try await SQLiteOutbox.opened(configuration)
        await outbox.commit((1...9).map { .append("m\($0)") })
        let ids = try outbox.peek(limit: .max, maxBytes: .max).records.map(\.id)
        await outbox.commit(.group(GroupExtent(first: ids[2], last: ids[6], count: 5)))

        #expect(try outbox.peek(limit: 2, maxBytes: .max).records.count == 2)
        #expect(try outbox.peek(limit: 3, maxBytes: .max).records.count == 7)
        #expect(try outbox.peek(limit: 9, maxBytes: 50).records.count == 7)
        #expect(try outbox.peek(limit: 8, maxBytes: .max).records.count == 8)
    }

    @Test("knows the groups that have gone out also after its database was damaged")
    func recoversGroups() async throws {
        let configuration = OutboxConfiguration.sample(folder) { $0.bindsSessions = false }
        var outbox = try await SQLiteOutbox.opened(configuration)
        await outbox.commit((1...9).map { .append("m\($0)") })
        let records = try outbox.peek(limit: .max, maxBytes: .max).records
        let group = GroupExtent(first: records[0].id, last: records[4].id, count: 5)
        await outbox.commit(.group(group))
        await outbox.close()
        try folder.damage("dropped")

        outbox = try await SQLiteOutbox.opened(configuration)

        #expect(folder.exists("tracker.sqlite3.corrupt-1"))
        let peek = try outbox.peek(limit: .max, maxBytes: .max)
        #expect(peek.records.map(\.id) == records.map(\.id))
        #expect(peek.groups == [group])
    }

    @Test("keeps what it acknowledged when it is opened again")
    func survivesReopening() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.append("m1"), .append("m2"), .append("m3")])
        await first.commit(.delivered([try first.records()[0]], bytes: WireBytes(before: 9, after: 5)))
        await first.close()

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try second.queue() == ["m2", "m3"])
        #expect(try second.peek(limit: 1, maxBytes: .max).records.first?.acceptedAt == nil)
        #expect(
            try second.account()
                == Account(
                    accepted: 0, recovered: 2, delivered: 0, queued: 2, dropped: [:],
                    bytes: WireBytes(before: 0, after: 0)
                )
        )
        await second.commit(.append("m4"))
        #expect(try second.peek(limit: 9, maxBytes: .max).records.map(\.sequence) == [2, 3, 4])
    }

    @Test("removes delivered and dropped records and counts them", arguments: Place.allCases)
    func settles(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit((1...6).map { .append("m\($0)") })
        let records = try outbox.records()

        await outbox.commit([
            .delivered([records[1], records[0]], bytes: WireBytes(before: 20, after: 10)),
            .drop([records[3].id], .rejected(422)), .delivered([records[0], records[3]]),
        ])

        #expect(try outbox.queue() == ["m3", "m5", "m6"])
        #expect(
            try outbox.account()
                == Account(
                    accepted: 6, recovered: 0, delivered: 2, queued: 3, dropped: [.rejected(422): 1],
                    bytes: WireBytes(before: 20, after: 10)
                )
        )
        #expect(try outbox.queuedRecords(through: 4) == 1)
        await outbox.commit(.dropAll(.disabled))
        #expect(try outbox.queue().isEmpty)
        #expect(try outbox.account().dropped == [.rejected(422): 1, .disabled: 3])
        #expect(try outbox.account().isBalanced)
    }

    @Test("counts as delivered what was still there, and its bytes and keys alone", arguments: Place.allCases)
    func settlesWhatIsThere(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        let long = #"{"event":"a longer one"}"#
        await outbox.commit([
            .append("a", given: true), .append("b", given: true, body: long), .append("c", given: true), .append("d"),
        ])
        let records = try outbox.records()
        await outbox.commit(.drop([records[1].id], .expired))

        await outbox.commit(.delivered(Array(records[0...2])))

        #expect(try outbox.queue() == ["d"])
        #expect(try outbox.account() == .sample(accepted: 4, delivered: 2, queued: 1, dropped: [.expired: 1]))
        #expect(try outbox.state().queuedBytes == records[3].body.byteCount)
        #expect(await outbox.commit(.append("c", given: true)).summary == "pending")
        #expect(try outbox.queue() == ["d"])
    }

    @Test("leaves out of a peek what is settled, from the call on")
    func hidesSettled() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit((1...3).map { .append("m\($0)") })
        let records = try outbox.records()

        outbox.stage(.delivered([records[0]])) { _ in }

        #expect(try outbox.queue() == ["m2", "m3"])
        #expect(try outbox.queuedRecords(through: 3) == 2)
        await outbox.commit(.barrier)
        #expect(try outbox.queue() == ["m2", "m3"])
    }

    @Test("drops the oldest past its bounds, tells which, and refuses what is too large", arguments: Place.allCases)
    func evicts(place: Place) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder, place, log: log) {
                $0.limits = OutboxLimits(maxRecords: 3, maxBytes: 60, overflow: .dropOldest, maxRecordBytes: 50)
            }
        )

        let large = #"{"text":"\#(String(repeating: "a", count: 29))"}"#
        await outbox.commit((1...4).map { .append("m\($0)") })
        let results = await outbox.commit([
            .append("m5", body: large), .append("m6", body: large.replacing("\"}", with: "aaaaaaaaaaaaa\"}")),
        ])

        #expect(results.map(\.summary) == ["pending", "refused tooLarge"])
        #expect(try outbox.queue() == ["m4", "m5"])
        #expect(
            log.events == [
                .dropped([MessageID("m1")!], count: 1, .evicted),
                .dropped([MessageID("m2")!, MessageID("m3")!], count: 2, .evicted),
            ])
        #expect(try outbox.account().dropped == [.evicted: 3])
        #expect(try outbox.account().isBalanced)
    }

    @Test("refuses past its bounds where what is queued is to stay, also when it is opened again with lower ones")
    func refuses() async throws {
        let bounds = OutboxLimits(maxRecords: 3, maxBytes: 60, overflow: .refuseNew)
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.limits = bounds })

        let full = await outbox.commit([
            .append("m1", given: true), .append("m2"), .append("m3"), .append("m4"), .append("m1", given: true),
        ])
        await outbox.commit(.delivered([try outbox.records()[0]]))
        let heavy = await outbox.commit([
            .append("m5", body: #"{"text":"\#(String(repeating: "a", count: 30))"}"#), .append("m6"),
        ])
        await outbox.close()
        let smaller = try await SQLiteOutbox.opened(.sample(folder) { $0.limits.maxRecords = 1 })

        #expect(
            full.map(\.summary) == ["pending", "pending", "pending", "refused queueFull", "pending"])
        #expect(heavy.map(\.summary) == ["refused queueFull", "pending"])
        #expect(try smaller.queue() == ["m2", "m3", "m6"])
        #expect(try smaller.account().dropped.isEmpty)
    }

    @Test(
        "drops what is too old before it refuses a call, whether the queue or the calls that wait for a session are full",
        arguments: Place.allCases, [true, false])
    func expiresForRoom(place: Place, isBound: Bool) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder, place, log: log) {
                $0.limits = OutboxLimits(maxRecords: isBound ? 2 : 9)
                $0.limits.maxPendingRecords = 2
                $0.limits.maxAge = .seconds(10)
            })
        if isBound { await outbox.commit(.bind(1, "s1")) }
        let queued = isBound ? "queued" : "pending"

        let results = await outbox.commit([
            .append("a", at: .seconds(1)), .append("b", at: .seconds(5)), .append("early", at: .seconds(11)),
            .append("c", at: .seconds(12)), .append("d", at: .seconds(15)), .append("e", at: .seconds(16)),
        ])

        #expect(results.map(\.summary) == [queued, queued, "refused queueFull", queued, "refused queueFull", queued])
        #expect(try outbox.queue() == ["c", "e"])
        let expired = log.ofRecords.flatMap { event -> [String] in
            guard case .dropped(let ids, _, .expired) = event else { return [] }
            return ids.map(\.text)
        }
        #expect(expired == ["a", "b"])
        #expect(try outbox.account() == .sample(accepted: 4, queued: 2, dropped: [.expired: 2]))
    }

    @Test("by the wall clock, for what an earlier run has left")
    func expiresEarlierRuns() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.append("a"), .append("b")])
        await first.close()

        let second = try await SQLiteOutbox.opened(
            .sample(folder) {
                $0.limits = OutboxLimits(maxRecords: 2)
                $0.limits.maxAge = .seconds(10)
            })
        let results = await second.commit([.append("c"), .append("d"), .append("e")])

        #expect(results.map(\.summary) == ["pending", "pending", "refused queueFull"])
        #expect(try second.queue() == ["c", "d"])
        #expect(try second.account() == .sample(accepted: 2, recovered: 2, queued: 2, dropped: [.expired: 2]))
    }

    @Test("answers a caller's id a second time as the first time, and queues it once", arguments: Place.allCases)
    func deduplicates(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))

        let first = await outbox.commit([.append("a", given: true), .bind(1, "s1"), .append("a", given: true)])
        await outbox.commit(.delivered(try outbox.records()))
        let second = await outbox.commit([.append("a", given: true), .append("b", given: true)])

        #expect(first.map(\.summary) == ["pending", "done", "pending"])
        #expect(second.map(\.summary) == ["pending", "queued"])
        #expect(try outbox.queue() == ["b"])
        #expect(try outbox.account().accepted == 2)
    }

    @Test("refuses the newest while all are pending and there are as many as may be")
    func boundsPending() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder) { $0.limits.maxPendingRecords = 2 }
        )

        let results = await outbox.commit([
            .append("m1"), .append("m2"), .append("m3"), .bind(1, "s"), .append("m4"), .append("m5"),
        ])

        #expect(
            results.map(\.summary) == [
                "pending", "pending", "refused queueFull", "done", "queued", "queued",
            ]
        )
    }

    @Test("takes no more calls than the queue may hold while nothing is written, and all else")
    func boundsStaged() async throws {
        let outbox = SQLiteOutbox.made(.sample(folder) { $0.limits.maxBytes = 1 << 20 })
        let body = #"{"text":"\#(String(repeating: "a", count: 10_000))"}"#
        let early = Recorder<String>()
        let results = Recorder<String>()

        for number in 1...120 {
            outbox.stage(.append("m\(number)", body: body)) { result in
                if case .refused = result.effect { early.record("\(number)") }
                results.record(result.summary)
            }
        }
        let refused = try await early.values(atLeast: 17)
        outbox.stage(.reset(all: false, messageID: nil)) { results.record($0.summary) }
        _ = try await outbox.open().get()
        let all = try await results.values(atLeast: 121)
        let later = await outbox.commit(.append("later"))

        #expect(refused == (104...120).map(\.description))
        #expect(all.count { $0 == "refused queueFull" } == 17)
        #expect(all.last == "done")
        #expect(later.summary == "pending")
    }

    @Test("drops the oldest calls that are not written, if so told; the user that they name stays, and none is counted")
    func dropsOldestStaged() async throws {
        let outbox = SQLiteOutbox.made(
            .sample(folder) {
                $0.limits.maxBytes = 1 << 20
                $0.limits.overflow = .dropOldest
            })
        let body = #"{"text":"\#(String(repeating: "a", count: 10_000))"}"#
        let results = Recorder<String>()

        outbox.stage(.telling("identify", "ann")) { results.record($0.summary) }
        for number in 1...120 { outbox.stage(.append("m\(number)", body: body)) { results.record($0.summary) } }
        let early = try await results.values(atLeast: 18)
        _ = try await outbox.open().get()
        let all = try await results.values(atLeast: 121)
        await outbox.commit(.telling("later"))

        #expect(early == Array(repeating: "refused queueFull", count: 18))
        #expect(Array(all.dropFirst(18)) == Array(repeating: "pending", count: 103))
        #expect(try outbox.queue() == (18...120).map { "m\($0)" } + ["later"])
        let last = try outbox.peek(limit: .max, maxBytes: .max).records.last
        #expect(last?.body.value(forKey: "user")?.stringValue == "ann")
        #expect(try outbox.account() == .sample(accepted: 104, queued: 104))
    }

    @Test("stores no user whose dropped call repeats an earlier one")
    func dropsRepeated() async throws {
        let configuration = OutboxConfiguration.sample(folder) {
            $0.limits.maxBytes = 1 << 20
            $0.limits.overflow = .dropOldest
        }
        let first = try await SQLiteOutbox.opened(configuration)
        await first.commit([.telling("identify", given: true, "ann"), .telling("other", "bob")])
        await first.close()
        let second = SQLiteOutbox.made(configuration)
        let body = #"{"text":"\#(String(repeating: "a", count: 100_000))"}"#
        let results = Recorder<String>()

        second.stage(.telling("identify", given: true, "ann")) { results.record($0.summary) }
        for number in 1...12 { second.stage(.append("m\(number)", body: body)) { results.record($0.summary) } }
        _ = try await results.values(atLeast: 2)
        _ = try await second.open().get()
        await second.commit(.barrier)

        #expect(second.value(for: .own("user")) == "bob")
    }

    @Test("waits with what is staged before it is open, and refuses what is staged after it is closed")
    func respectsItsLife() async throws {
        let outbox = SQLiteOutbox.made(.sample(folder))
        async let early = outbox.commit(.append("m1"))
        _ = try await outbox.open().get()
        #expect(await early.summary == "pending")

        await outbox.close()
        #expect(await outbox.commit(.append("m2")).summary == "refused storage")
        #expect(await outbox.commit(.barrier).summary == "failed closed")
    }

    @Test("that is closed neither reads nor opens again", arguments: Place.allCases)
    func staysClosed(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit(.append("m1"))
        await outbox.close()

        #expect((try? outbox.peek(limit: 1, maxBytes: 1).records.isEmpty) ?? true)
        guard case .failure(let error) = await outbox.open() else {
            Issue.record("It opened")
            return
        }
        #expect(error.kind == .closed)
        await outbox.close()
    }

    @Test("that was never opened refuses what was staged when it is closed")
    func closesUnopened() async {
        let outbox = SQLiteOutbox.made(.sample(folder))
        async let result = outbox.commit(.append("m1"))
        await outbox.close()

        #expect(await result.summary == "refused storage")
        #expect(folder.files.isEmpty)
    }

    @Test("adds the session's metadata to what asks for them, and its own data over them", arguments: Place.allCases)
    func mergesMetadata(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        func event(_ id: String, _ own: String?) throws -> LaneChange {
            var head = JSONObjectWriter()
            head.append("event_name", "E")
            let body = EventBody(head, data: try own.map { try JSONText(validating: $0) })
            return .append(Draft.sample(id, .withSessionMetadata(body)))
        }
        let metadata = Draft.sample("set", sessionMetadata: try JSONText(validating: #"{"plan":"a","x":1}"#))

        await outbox.commit([
            try event("m1", nil), try event("m2", #"{ }"#), try event("m3", #"{"a":1}"#), .append(metadata),
            try event("m4", nil), try event("m5", #"{"plan":"b"}"#),
        ])
        let repeating = try JSONText(validating: #"{"a":1,"b":2,"a":3}"#)
        #expect(EventBody(JSONObjectWriter(), data: repeating).text.text == #"{"data":{"a":3,"b":2}}"#)
        let before = try outbox.peek(limit: 9, maxBytes: .max).records.map(\.body.text)
        #expect(
            before == [
                #"{"event_name":"E"}"#, #"{"event_name":"E"}"#, #"{"event_name":"E","data":{"a":1}}"#,
                #"{"event":"x"}"#,
                #"{"event_name":"E","data":{"plan":"a","x":1}}"#, #"{"event_name":"E","data":{"plan":"b","x":1}}"#,
            ])
        await outbox.commit([.reset(all: false, messageID: nil), try event("m6", #"{"a":1}"#)])
        let after = try outbox.peek(limit: 9, maxBytes: .max).records.map(\.body.text)
        #expect(after == [#"{"event_name":"E","data":{"a":1}}"#])
        #expect(outbox.value(for: .sessionMetadata) == nil)
    }
}
