import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("A record that makes the server fail is set aside, and the lane goes on")
struct PoisonTests {
    /// Lets time pass from one try to the next, until the queue is empty.
    private func play(_ tracker: MobileTracker, _ loop: ClockedLoop, until isOver: @escaping @Sendable () -> Bool)
        async throws
    {
        try await withGuard("the end of the queue") {
            while !isOver() {
                try Task.checkCancellation()
                _ = await tracker.flush(timeout: .seconds(600))
                await loop.turn()
                if let due = loop.pending.first { loop.advance(by: loop.now.duration(to: due)) }
                await loop.turn()
            }
        }
    }

    @Test("of a session tracker: the log and the refused events say so, and the account balances")
    func session() async throws {
        let fixture = try SessionFixture(isClocked: true) { request in
            request.isEvent && request.text.contains("POISON") ? .status(500, body: "NullPointerException") : nil
        }
        try await fixture.start(
            fixture.config {
                $0.delivery.poisonAfter = .seconds(60)
                $0.delivery.cooldown = .seconds(10)
                $0.delivery.maxCooldown = .seconds(20)
            })
        let loop = try await fixture.loop()
        for name in ["A", "POISON", "B", "C"] { await fixture.tracker.track(eventName: name) }

        try await play(fixture.tracker, loop) { fixture.tracker.info("queueLength") == 0 }

        #expect(fixture.names.filter { $0 != "POISON" } == ["A", "B", "C"])
        let refused = try fixture.tracker.refused()
        #expect(refused.map(\.name) == ["POISON"] && refused.map(\.reason) == [.poison])
        #expect(refused[0].status == 500 && refused[0].answer == "NullPointerException" && refused[0].attempts > 7)
        #expect(fixture.tracker.dropped == ["poison": 1] && fixture.tracker.isBalanced)
        #expect(
            fixture.log.lines.all.contains {
                $0.hasPrefix("error:") && $0.contains("was dropped, poison:")
                    && $0.contains("answered 500 to it, again and again, while the server takes other requests")
            })
        // The backend is mended, and it arrives.
        fixture.answer()
        #expect(try await fixture.tracker.retryRefused() == 1)
        #expect(await fixture.tracker.flush().remaining == 0)
        #expect(fixture.names.last == "POISON" && fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("before calls that have their turn alone it is set aside too", arguments: ["POISON", "set"])
    func beforeProfiles(_ poison: String) async throws {
        let fixture = try SessionFixture(isClocked: true) { request in
            request.text.contains("POISON") ? .status(500) : nil
        }
        try await fixture.start(
            fixture.config {
                $0.delivery.poisonAfter = .seconds(60)
                $0.delivery.cooldown = .seconds(10)
                $0.delivery.maxCooldown = .seconds(20)
            })
        let loop = try await fixture.loop()
        if poison == "set" {
            await fixture.tracker.set(profileData: ["text": "POISON"])
        } else {
            await fixture.tracker.track(eventName: "POISON")
        }
        for number in 1...3 { await fixture.tracker.set(profileData: ["number": JSONValue(number)]) }

        try await play(fixture.tracker, loop) { fixture.tracker.info("queueLength") == 0 }

        #expect(try fixture.tracker.refused().map(\.reason) == [.poison])
        #expect(fixture.tracker.dropped == ["poison": 1] && fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("alone in its queue it is set aside if the server takes the requests of another lane of the process")
    func otherLane() async throws {
        let fixture = try SessionFixture(isClocked: true) { request in
            request.isEvent && request.text.contains("POISON") ? .status(500) : nil
        }
        try await fixture.start(
            fixture.config {
                $0.delivery.poisonAfter = .seconds(60)
                $0.delivery.maxCooldown = .seconds(20)
            })
        let other = fixture.restarted(isClocked: false)
        try await other.start(brandId: "926")
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "POISON")

        try await withGuard("the end of the queue") {
            while fixture.tracker.info("queueLength") != 0 {
                try Task.checkCancellation()
                _ = await fixture.tracker.flush(timeout: .seconds(600))
                await other.tracker.track(eventName: "Other")
                _ = await other.tracker.flush()
                if let due = loop.pending.first { loop.advance(by: loop.now.duration(to: due)) }
                await loop.turn()
            }
        }

        #expect(try fixture.tracker.refused().map(\.reason) == [.poison])
        await fixture.tracker.shutdown()
        await other.tracker.shutdown()
    }

    @Test("what is known of a server is forgotten once nobody asks")
    func witness() {
        let witness = ServerWitness()
        witness.note("a.example", at: .seconds(1))
        #expect(!witness.isAsked && witness.lastAnswer(of: "b.example") == nil)
        witness.beginAsking()
        #expect(witness.isAsked && witness.lastAnswer(of: "a.example") == .seconds(1))
        witness.endAsking()
        #expect(!witness.isAsked && witness.lastAnswer(of: "a.example") == nil)
    }

    @Test("an answer that names events removes these alone, without halves", arguments: [true, false])
    func named(othersAreTaken: Bool) throws {
        let form: any Form =
            othersAreTaken
            ? MixpanelForm(key: Secret("k"), groupType: "company")
            : AmplitudeForm(key: Secret("k"), groupType: "company")
        var world = PlayedLane(
            dialect: try GroupDialect.batches(
                host: BaseURL("https://in.example.com"), writeKey: Secret("k"), timeout: .seconds(30),
                schedule: .atOnce,
                maxRecords: 20, maxBytes: 475_000, form: form),
            .sample((1...5).map { .analytics($0) }, state: .sample(queued: 5)))
        world.state.start()
        world.state.wake()
        world.round()
        world.round()
        let body =
            othersAreTaken
            ? #"{"failed_records": [{"index": 1}, {"index": 3}]}"#
            : #"{"events_with_invalid_fields": {"time": [1, 3]}}"#

        let settlement = world.answer(.status(400, body: body))

        guard case .drop(let ids, .rejected(400), let rejection?)? = settlement.changes.first else {
            Issue.record("nothing is dropped")
            return
        }
        #expect(ids.map(\.number) == [2, 4])
        #expect(rejection.answer == body)
        #expect(settlement.delivered?.records.map(\.sequence) == (othersAreTaken ? [1, 3, 5] : nil))
        guard !othersAreTaken else { return }
        world.peek.records.removeAll { ids.contains($0.id) }
        world.peek.groups = []
        world.round()
        world.round()
        #expect(world.sent.map { $0.records.map(\.sequence) } == [[1, 2, 3, 4, 5], [1, 3, 5]])
        #expect(world.sent[0].request.headers["Idempotency-Key"] != world.sent[1].request.headers["Idempotency-Key"])

        // A place that does not exist names nothing: the group is halved as ever.
        let unknown = world.answer(.status(400, body: #"{"silenced_events": [7]}"#))
        #expect(unknown.changes.isEmpty && unknown.delivered == nil)
    }
}
