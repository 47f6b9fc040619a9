import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A client's own values", .closingOutboxes)
struct OwnValuesTests {
    let folder = TemporaryFolder()

    private static let user = StoredKey.own("user")

    private func users(_ outbox: SQLiteOutbox) throws -> [String?] {
        try outbox.peek(limit: .max, maxBytes: .max).records.map { $0.body["user"]?.stringValue }
    }

    @Test("are told by a record as the calls before it and the record itself leave them", arguments: Place.allCases)
    func told(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))

        let results = await outbox.commit([
            .telling("m1"), .telling("m2", "ALICE"), .telling("m3"), .telling("m4", "BOB", nil),
            .set([ValueChange(Self.user, "CAROL")], messageID: nil), .telling("m5", "DAN", "EVE"),
        ])

        #expect(
            results.map(\.summary) == ["pending", "pending", "pending", "pending", "done", "pending"])
        #expect(try users(outbox) == [nil, "ALICE", "ALICE", nil, "EVE"])
        #expect(outbox.value(for: Self.user) == "EVE")
    }

    @Test("are told by each of many records that name them in different places", arguments: Place.allCases)
    func toldManyTimes(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        func telling(_ id: String, _ name: String) -> LaneChange {
            let inner = BodyTemplate([.value(name, Self.user, otherwise: .null)])
            return .append(.sample(id, .template(BodyTemplate([.value(name, Self.user), .object("in", inner)]))))
        }

        await outbox.commit(
            (0..<30).map { telling("a\($0)", "n\($0)") }
                + [.set([ValueChange(Self.user, "ANN")], messageID: nil)]
                + (0..<30).map { telling("b\($0)", "n\($0)") })

        let bodies = try outbox.peek(limit: .max, maxBytes: .max).records.map(\.body.text)
        #expect(
            bodies
                == (0..<30).map { #"{"in":{"n\#($0)":null}}"# }
                + (0..<30).map { #"{"n\#($0)":"ANN","in":{"n\#($0)":"ANN"}}"# })
    }

    @Test("change once under a caller's id, whatever came between", arguments: Place.allCases)
    func changeOnce(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        let advertising = LaneChange.set([ValueChange(.own("ad"), "1")], messageID: MessageID("s"))

        await outbox.commit([.telling("b", given: true, "BOB"), advertising])
        await outbox.commit([
            .telling("c", given: true, "CAROL"), .set([ValueChange(.own("ad"), "2")], messageID: MessageID("t")),
        ])
        let again = await outbox.commit([.telling("b", given: true, "BOB"), advertising, .telling("last")])

        #expect(again.map(\.summary) == ["pending", "repeated", "pending"])
        #expect(outbox.value(for: .own("ad")) == "2")
        #expect(try users(outbox) == ["BOB", "CAROL", "CAROL"])
    }

    @Test("that a reset has cleared do not come back with a call from before it", arguments: Place.allCases)
    func stayCleared(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        let script: [LaneChange] = [
            .telling("m1", given: true, "ALICE"), .reset(all: true, messageID: MessageID("m2")),
        ]

        await outbox.commit(script)
        let again = await outbox.commit(script)
        await outbox.commit(.telling("after"))

        #expect(again.map(\.summary) == ["pending", "repeated"])
        #expect(try users(outbox) == [nil])
        #expect(try outbox.state().generation == Generation(2))
    }

    @Test("are left as they are by a record that is refused")
    func refused() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.limits.maxRecordBytes = 60 })

        let result = await outbox.commit(.telling("m1", String(repeating: "x", count: 100)))

        #expect(result.summary == "refused tooLarge")
        #expect(outbox.value(for: Self.user) == nil)
    }

    @Test("of two outboxes on a folder are those on disk when the record is committed; an id is made once")
    func shared() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        let second = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.ensure(.own("id"), "i1"), .telling("m1", "ALICE")])
        await second.commit([.ensure(.own("id"), "i2"), .telling("m2")])
        await second.commit(.telling("m3", "BOB"))

        await first.commit(.telling("m4"))
        let before = try first.peek(limit: .max, maxBytes: .max).records.map(\.body)
        await second.commit(.reset(all: false, messageID: nil))
        await first.commit(.telling("m5"))
        await second.commit(.telling("m6"))

        let bodies = try first.peek(limit: .max, maxBytes: .max).records.map(\.body)
        #expect(before.map { $0["user"]?.stringValue } == ["ALICE", "ALICE", "BOB", "BOB"])
        #expect(Set(before.map { $0["id"]?.stringValue }) == ["i1"])
        #expect(try users(first) == [nil, nil])
        #expect(bodies[0]["id"] == bodies[1]["id"])
        #expect(bodies[0]["id"]?.stringValue != "i1")
        #expect(try second.queue() == ["m5", "m6"])
    }

    @Test("come back from their backups")
    func backedUp() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit(.telling("m1", "ALICE"))
        #expect(try folder.backedUp(Self.user) == "ALICE")
        await first.close()
        try folder.execute("DELETE FROM value")

        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit(.telling("m2"))

        #expect(try users(second) == ["ALICE", "ALICE"])
    }
}
