import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Consent", .closingOutboxes)
struct ConsentTests {
    let folder = TemporaryFolder()

    @Test("that is denied deletes everything but itself and refuses calls", arguments: Place.allCases)
    func denies(place: Place) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, log: log))
        await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .append("m1"), .store(.sessionEmail, "a@b.c", nil),
            .store(.brandID, "925", nil),
        ])

        let result = await outbox.commit(.consent(.denied, messageID: nil))

        #expect(result.state?.consent == .denied)
        #expect(result.state?.entry == GenerationEntry())
        #expect(await outbox.commit(.append("m2")).summary == "refused trackingNotAllowed")
        #expect(try outbox.queue().isEmpty)
        for key in [StoredKey.sessionID, .sessionEmail, .deviceID, .brandID] { #expect(outbox.value(for: key) == nil) }
        #expect(log.events == [.dropped([MessageID("m1")!], count: 1, .consent)])
        #expect(try outbox.account().isBalanced)

        await outbox.commit([.bind(1, "late"), .consent(.granted, messageID: nil)])
        #expect(await outbox.commit(.append("m3")).summary == "pending")
        #expect(try outbox.state().entry.session == nil)
    }

    @Test("that is pending holds calls back until it is granted", arguments: Place.allCases)
    func holdsBack(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place) { $0.initialConsent = .pending })

        let results = await outbox.commit([
            .append("m1"), .bind(1, "s"), .append("m2"), .consent(.granted, messageID: nil), .append("m3"),
        ])

        #expect(results.map(\.summary) == ["pending", "done", "pending", "done", "queued"])
        #expect(try outbox.queue() == ["m1", "m2", "m3"])
    }

    @Test("survives a restart and a reset, whatever the configuration says by then")
    func survives() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.consent(.pending, messageID: nil), .reset(all: true, messageID: nil)])
        await first.close()

        let second = try await SQLiteOutbox.opened(.sample(folder) { $0.initialConsent = .granted })

        #expect(try second.state().consent == .pending)
    }

    @Test("that is denied in one lane holds in every lane of the brand, and in no other brand's")
    func holdsInAllLanes() async throws {
        let here = try await SQLiteOutbox.opened(.sample(folder))
        let there = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://other.example.com")))
        let elsewhere = try await SQLiteOutbox.opened(
            .sample(folder, lane: LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")) {
                $0.keyPrefix = "__GT_7_"
            }
        )
        for outbox in [here, there, elsewhere] { await outbox.commit([.bind(1, "s"), .append("m")]) }

        await here.commit(.consent(.denied, messageID: nil))

        #expect(try there.state().consent == .denied)
        #expect(try there.queue().isEmpty)
        #expect(there.value(for: .sessionID) == nil)
        #expect(await there.commit(.append("n")).summary == "refused trackingNotAllowed")
        #expect(try there.account().dropped == [.consent: 1])
        #expect(try there.account().isBalanced)
        #expect(try elsewhere.queue() == ["m"])
        #expect(elsewhere.value(for: .sessionID) == "s")
    }

    @Test("is absent from lanes that are opened without one")
    func isOptional() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder, lane: LaneIdentity(kind: .batch, owner: "k", origin: "https://x")) {
                $0.initialConsent = nil
                $0.bindsSessions = false
            }
        )

        #expect(await outbox.commit(.append("m")).summary == "queued")
        #expect(try outbox.state().consent == .granted)
    }
}
