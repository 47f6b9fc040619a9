import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("How a session tracker accepts calls")
struct AcceptingTests {
    @Test("calls that do not wait take effect in their order, with those that do")
    func fireAndForget() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        fixture.trackAndGoOn(["A", "B"])
        await fixture.tracker.track(eventName: "C")
        fixture.resetAndGoOn()
        fixture.trackAndGoOn(["D"])
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(fixture.names == ["A", "B", "C", "D", "E"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1", "S1", "S1", "S2", "S2"])
        await fixture.tracker.shutdown()
    }

    @Test("a call that does not wait leaves a receipt whose outcome can be awaited")
    func receipts() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let dictionary: [String: Any] = ["plan": "pro"]

        let receipts = [
            fixture.tracker.enqueue(.track("A", ["total": 149.99], metadata: ["flow": "v2"]), messageId: "a"),
            fixture.tracker.enqueue(.identify("u", dictionary), messageId: "b"),
            fixture.tracker.enqueue(.track(" "), messageId: "c"),
            fixture.tracker.reset(messageId: "d"),
        ]
        var outcomes: [TrackOutcome] = []
        for receipt in receipts { outcomes.append(await receipt.outcome) }

        #expect(outcomes == [.queued(.of("a")), .queued(.of("b")), .dropped(.invalidEventName), .queued(.of("d"))])
        await fixture.drain()
        #expect(fixture.events.map { $0.json["data"] } == [["total": 149.99, "flow": "v2"]])
        #expect(fixture.requests.filter(\.isProfile).map { $0.json["extra"] } == [["plan": "pro"]])
        await fixture.tracker.shutdown()
    }

    @Test("a message id that is not valid drops its call, and is never as if there were none")
    func invalidKeys() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let session = fixture.tracker.sessionId

        let outcomes = [
            await fixture.tracker.track(eventName: "ORDER", messageId: ""),
            await fixture.tracker.setMetadata(["a": 1], messageId: "é"),
            await fixture.tracker.enqueue(.track("B"), messageId: CallerKey(String(repeating: "x", count: 129)))
                .outcome,
            await fixture.tracker.resetAndWait(messageId: " x"),
            await fixture.tracker.setConsent(.denied, messageId: "a\nb"),
        ]
        await fixture.drain()

        #expect(outcomes == Array(repeating: .dropped(.invalidValue), count: 5))
        #expect(fixture.names.isEmpty)
        #expect(fixture.tracker.sessionId == session)
        #expect(fixture.tracker.isTrackingAllowed)
        #expect(fixture.tracker.info("refused", "INVALID_VALUE") == 5)
        #expect(fixture.log.lines.all.contains { $0.contains("ORDER") && $0.contains("'messageId' must be 1 to 128") })
        await fixture.tracker.shutdown()
    }

    @Test("a second call under a key shows no screen")
    func sameScreen() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        func show(_ name: String, _ key: String? = nil) async -> TrackOutcome {
            await fixture.tracker.screenDidAppear(name: name, messageId: key.map { CallerKey($0) })
        }

        var outcomes = [await show("Home", "k1"), await show("Cart"), await show("Home", "k1")]
        outcomes += [await show("Cart"), await show("Home")]

        #expect(outcomes.map { $0 == .dropped(.repeatedScreen) } == [false, false, false, true, false])
        await fixture.tracker.shutdown()
    }

    @Test("a repeated denial forgets no screen")
    func repeatedDenial() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await fixture.tracker.setConsent(.denied, messageId: "denial")
        await fixture.tracker.setConsent(.granted)
        await fixture.tracker.screenDidAppear(name: "Home")

        await fixture.tracker.setConsent(.denied, messageId: "denial")

        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.repeatedScreen))
        await fixture.tracker.shutdown()
    }

    @Test("a generation that an expiry or another process has begun has other screens", arguments: [true, false])
    func screensOfGeneration(expires: Bool) async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await fixture.tracker.screenDidAppear(name: "Home")
        if expires {
            fixture.clock.advance(by: .seconds(400 * 86_400))
        } else {
            let other = fixture.restarted()
            try await other.start()
            await other.tracker.resetAndWait()
            await other.tracker.shutdown()
        }
        await fixture.tracker.track(eventName: "E")

        #expect(await fixture.tracker.screenDidAppear(name: "Home").messageID != nil)
        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.repeatedScreen))
        await fixture.tracker.shutdown()
    }

    @Test("metadata that would leave events no room is refused, and what is there stays")
    func metadataTooLarge() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.delivery.maxEventBytes = 2_000 })
        let part = JSONValue.string(String(repeating: "x", count: 600))
        #expect(await fixture.tracker.setMetadata(["a": part]).isQueued)

        #expect(await fixture.tracker.setMetadata(["b": part]) == .dropped(.tooLarge))
        #expect(await fixture.tracker.track(eventName: "E").isQueued)
        await fixture.drain()

        #expect(fixture.events.map { $0.json["data"] } == [["a": part]])
        await fixture.tracker.shutdown()
    }

    @Test("another brand has other screens")
    func screensOfBrand() async throws {
        let fixture = try SessionFixture { _ in .status(503) }
        #expect(await fixture.failure(fixture.config())?.code == .sessionCreationFailed)
        await fixture.tracker.screenDidAppear(name: "Home")
        fixture.answer()

        try await fixture.start(brandId: "926")

        #expect(await fixture.tracker.screenDidAppear(name: "Home").messageID != nil)
        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.repeatedScreen))
        await fixture.tracker.shutdown()
    }

    @Test("a second call under a key is answered as the first was, whatever it says")
    func sameAnswer() async throws {
        let fixture = try SessionFixture { $0.json["event_name"] == "Halt" ? .status(401) : nil }
        try await fixture.start()

        let shown = await fixture.tracker.screenDidAppear(name: "Home", messageId: "s")
        let again = await fixture.tracker.screenDidAppear(name: "Home", messageId: "s")
        let repeated = await fixture.tracker.screenDidAppear(name: "Home", messageId: "other")
        let queued = await fixture.tracker.track(eventName: "A", messageId: "a")
        await fixture.tracker.track(eventName: "Halt")
        await fixture.drain()
        let halted = await fixture.tracker.track(eventName: "B", messageId: "b")
        let afterHalt = await fixture.tracker.track(eventName: "A", messageId: "a")
        let stillHalted = await fixture.tracker.track(eventName: "B", messageId: "b")

        #expect([shown, again] == [.queued(.of("s")), .queued(.of("s"))])
        #expect(repeated == .dropped(.repeatedScreen))
        #expect([queued, afterHalt] == [.queued(.of("a")), .queued(.of("a"))])
        #expect([halted, stillHalted] == [.pending(.of("b")), .pending(.of("b"))])
        #expect(fixture.names == ["VIEW_PAGE", "A", "Halt"])
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("a value that JSON cannot hold drops its call, and the log names the event and the way to the value")
    func unwritable() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let bad: [String: Any] = ["items": [1, Double.nan]]

        let outcomes = [
            await fixture.tracker.track(eventName: "PURCHASE", attributes: bad),
            await fixture.tracker.track(eventName: "REFUND", attributes: ["total": JSONValue(Double.infinity)]),
        ]

        #expect(outcomes == [.dropped(.serialization), .dropped(.serialization)])
        let log = fixture.log.lines.all
        #expect(log.contains { $0.contains("PURCHASE") && $0.contains("items[1]") })
        #expect(log.contains { $0.contains("REFUND") && $0.contains("total") })
        await fixture.tracker.shutdown()
    }

    @Test("each task's calls keep their order among those of others")
    func manyTasks() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<30 { await fixture.tracker.track(eventName: "\(task)-\(number)") }
                }
            }
        }
        await fixture.drain()

        #expect(fixture.names.count == 180)
        for task in 0..<6 {
            #expect(fixture.names.filter { $0.hasPrefix("\(task)-") } == (0..<30).map { "\(task)-\($0)" })
        }
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("cancelling the caller's task does not undo a call")
    func cancelled() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        let gate = AsyncStream<Void>.makeStream()
        let task = Task {
            // Ends when the task is cancelled.
            for await _ in gate.stream {}
            return await fixture.tracker.track(eventName: "A")
        }
        task.cancel()
        let outcome = await task.value
        await fixture.drain()

        #expect(outcome.isQueued)
        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("a setMetadata goes with the later events of its session, and with none of the next")
    func metadata() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        await fixture.tracker.track(eventName: "Before")
        await fixture.tracker.setMetadata(["plan": "pro", "seats": 2])
        await fixture.tracker.track(eventName: "Own", attributes: ["seats": 3])
        await fixture.tracker.track(eventName: "After")
        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "Next")
        await fixture.drain()

        let metadata: JSONValue = ["plan": "pro", "seats": 2]
        #expect(fixture.events.map { $0.json["data"] } == [nil, ["plan": "pro", "seats": 3], metadata, nil])
        #expect(fixture.requests.filter(\.isProfile).map { $0.json["metadata"] } == [metadata])
        await fixture.tracker.shutdown()
    }

    @Test("an event that alone makes the server fail is kept, and named by the last error")
    func poison() async throws {
        let fixture = try SessionFixture { $0.json["event_name"] == "Poison" ? .status(500) : nil }
        try await fixture.start(fixture.patientConfig)

        await fixture.tracker.track(eventName: "Poison", messageId: "poison-1")
        try await fixture.drainToWait()

        #expect(fixture.tracker.info("lastError", "message")?.stringValue?.contains("poison-1") == true)
        #expect(fixture.tracker.info("queueLength") == 1)
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("sequence numbers go on over a restart, and are not used again after a drop")
    func sequence() async throws {
        let fixture = try SessionFixture { $0.json["event_name"] == "Bad" ? .status(422) : nil }
        try await fixture.start()
        for name in ["A", "Bad", "B"] { await fixture.tracker.track(eventName: name) }
        await fixture.drain()
        await fixture.tracker.shutdown()

        let next = fixture.restarted()
        try await next.start()
        await next.tracker.track(eventName: "C")
        await next.drain()

        #expect(fixture.events.map { $0.header("X-Sequence") } == ["1", "2", "3", "4"])
        #expect(Set(fixture.events.map { $0.header("Idempotency-Key") }).count == 4)
        await next.tracker.shutdown()
    }
}
