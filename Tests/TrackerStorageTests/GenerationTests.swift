import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A generation", .closingOutboxes)
struct GenerationTests {
    let folder = TemporaryFolder()

    @Test(
        "takes over another site's session once for each key, also if a reset came in between",
        arguments: Place.allCases)
    func continuesOnce(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        let session = known(SessionID("s9"))
        let call = LaneChange.continueSession(session, link: .sample("c1", given: true))

        #expect(await outbox.commit(call).summary == "queued")
        #expect(try outbox.state().entry.session == session)
        await outbox.commit(.reset(all: false, messageID: MessageID("r1")))
        #expect(await outbox.commit(call).summary == "queued")
        #expect(try outbox.state().entry.session == nil)
        await outbox.commit(.bind(2, "s2"))
        #expect(await outbox.commit(.continueSession(session, link: .sample("c2", given: true))).summary == "queued")

        #expect(try outbox.queue() == ["c2"])
        #expect(try outbox.account().isBalanced)
    }

    @Test("ends with a reset: unbound records go, bound ones stay with their session", arguments: Place.allCases)
    func resets(place: Place) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, log: log))
        await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .append("m1"), .store(.sessionEmail, "a@b.c", nil),
            .store(.own("x"), "y", nil), .store(.brandID, "925", nil), .identify(Generation(1), UserID("u")!),
        ])
        let device = outbox.value(for: .deviceID)

        let first = await outbox.commit(.reset(all: false, messageID: nil))
        await outbox.commit(.append("m2"))
        let second = await outbox.commit(.reset(all: false, messageID: nil))

        #expect(first.state?.generation == Generation(2))
        #expect(first.state?.entry == GenerationEntry())
        #expect(second.state?.generation == Generation(3))
        let peek = try outbox.peek(limit: 9, maxBytes: .max)
        #expect(peek.records.map(\.messageID.text) == ["m1"])
        #expect(
            peek.entries == [
                Generation(1): GenerationEntry(
                    session: SessionID("s1"), device: device.flatMap(DeviceID.init), identifyID: UserID("u")
                )
            ]
        )
        #expect(device != nil)
        for key in [StoredKey.sessionID, .sessionEmail, .identifyID, .deviceID, .own("x"), .sessionMetadata] {
            #expect(outbox.value(for: key) == nil, "\(key)")
        }
        #expect(outbox.value(for: .brandID) == "925")
        #expect(log.events == [.dropped([MessageID("m2")!], count: 1, .reset)])
        #expect(try outbox.account().dropped == [.reset: 1])
        #expect(try outbox.account().isBalanced)
    }

    @Test("ends with a reset of all, which leaves nothing", arguments: Place.allCases)
    func resetsAll(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .store(.brandID, "925", nil)])

        await outbox.commit(.reset(all: true, messageID: nil))

        #expect(try outbox.queue().isEmpty)
        #expect(outbox.value(for: .brandID) == nil)
        #expect(try outbox.account().dropped == [.reset: 1])
        #expect(try outbox.state().consent == .granted)
    }

    @Test("is not ended twice by a reset with the same id", arguments: Place.allCases)
    func resetsOnce(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        let reset = LaneChange.reset(all: false, messageID: MessageID("r"))

        let results = await outbox.commit([.append("a", given: true), reset, .bind(2, "s"), .append("b", given: true)])
        let again = await outbox.commit([.append("a", given: true), reset, .append("b", given: true)])

        #expect(results.map(\.summary) == ["pending", "done", "done", "queued"])
        #expect(again.map(\.summary) == ["pending", "repeated", "queued"])
        #expect(try outbox.queue() == ["b"])
        #expect(try outbox.state().generation == Generation(2))
    }

    @Test("that has ended takes late answers in its own entry alone", arguments: Place.allCases)
    func takesLateAnswers(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .reset(all: false, messageID: nil)])

        await outbox.commit([
            .bind(1, "other"), .identify(Generation(1), UserID("u")!), .store(.sessionEmail, "a@b.c", Generation(1)),
        ])

        let peek = try outbox.peek(limit: 1, maxBytes: .max)
        #expect(peek.entries[Generation(1)] == GenerationEntry(session: SessionID("other"), identifyID: UserID("u")))
        #expect(peek.state.entry == GenerationEntry())
        #expect(outbox.value(for: .sessionID) == nil)
        #expect(outbox.value(for: .identifyID) == nil)
        #expect(outbox.value(for: .sessionEmail) == nil)

        await outbox.commit(.delivered(peek.records))
        await outbox.commit([.bind(1, "s1"), .append("m2")])
        #expect(try outbox.peek(limit: 1, maxBytes: .max).state.entry == GenerationEntry())
    }

    @Test("loses the session that the server no longer knows, but not another", arguments: Place.allCases)
    func unbinds(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .identify(Generation(1), UserID("u")!)])

        await outbox.commit(.unbind(Generation(1), SessionID("s0")!, refused: Record.ID(1)))
        #expect(outbox.value(for: .sessionID) == "s1")
        let result = await outbox.commit(.unbind(Generation(1), SessionID("s1")!, refused: Record.ID(1)))

        #expect(result.state?.entry.session == nil)
        #expect(result.state?.entry.device != nil)
        #expect(result.state?.entry.identifyID == UserID("u"))
        #expect(outbox.value(for: .sessionID) == nil)
    }

    @Test(
        "that has ended keeps its session where the server refuses it, and loses that record alone",
        arguments: Place.allCases)
    func refusesOfOld(place: Place) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, log: log))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2"), .reset(all: false, messageID: nil)])
        let first = try #require(try outbox.peek(limit: 1, maxBytes: .max).records.first)

        await outbox.commit(.unbind(Generation(1), SessionID("s1")!, refused: first.id))

        let peek = try outbox.peek(limit: 9, maxBytes: .max)
        #expect(peek.records.map(\.messageID.text) == ["m2"])
        #expect(peek.entries[Generation(1)]?.session == SessionID("s1"))
        #expect(try outbox.account().dropped == [.sessionGone: 1])
        #expect(log.events == [.dropped([first.messageID], count: 1, .sessionGone)])
    }

    @Test("ends when its session expires, keeping the device and every record", arguments: Place.allCases)
    func expires(place: Place) async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, clock: clock))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .store(.sessionEmail, "a@b.c", nil)])
        clock.advance(by: .seconds(300 * 86_400))
        await outbox.commit(.ensureDevice)
        let device = try outbox.state().entry.device

        clock.advance(by: .seconds(65 * 86_400))
        #expect(outbox.value(for: .sessionID) == nil)
        let result = await outbox.commit(.append("m2"))

        #expect(result.summary == "pending")
        #expect(result.state?.generation == Generation(2))
        #expect(result.state?.entry == GenerationEntry(device: device))
        #expect(outbox.value(for: .deviceID) == device?.text)
        #expect(outbox.value(for: .sessionEmail) == nil)
        let peek = try outbox.peek(limit: 9, maxBytes: .max)
        #expect(peek.records.map(\.messageID.text) == ["m1", "m2"])
        #expect(peek.entries[Generation(1)]?.session == SessionID("s1"))
    }

    @Test("has a device as long as its session, and none that expired while nothing ran", arguments: [false, true])
    func deviceLasts(isRunning: Bool) async throws {
        let clock = HandClock()
        var outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock))
        await outbox.commit(.ensureDevice)
        let device = try #require(outbox.value(for: .deviceID))
        clock.advance(by: .seconds(2 * 86_400))
        await outbox.commit(.bind(1, "s1"))
        clock.advance(by: .seconds(364 * 86_400))
        #expect(outbox.value(for: .sessionID) == "s1" && outbox.value(for: .deviceID) == device)

        if isRunning {
            clock.advance(by: .seconds(86_400))
            await outbox.commit(.append("m1"))
            #expect(outbox.value(for: .sessionID) == nil && outbox.value(for: .deviceID) == device)
            await outbox.commit(.bind(2, "s2"))
        } else {
            await outbox.close()
            clock.advance(by: .seconds(86_400))
            outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock))
            #expect(outbox.value(for: .sessionID) == nil && outbox.value(for: .deviceID) == nil)
            await outbox.commit([.ensureDevice, .bind(2, "s2")])
        }

        let state = try outbox.state()
        #expect(state.entry.session == SessionID("s2"))
        #expect(state.entry.device?.text == outbox.value(for: .deviceID))
        #expect((outbox.value(for: .deviceID) == device) == isRunning)
    }

    @Test("takes the device that a reset in another lane of the brand has left")
    func deviceOfBrand() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let other = try await SQLiteOutbox.opened(
            .sample(folder, lane: LaneIdentity(kind: .session, owner: "925", origin: "https://other.example")))
        await outbox.commit([.ensureDevice, .bind(1, "s1")])
        let former = try outbox.state().entry.device
        await other.commit([.reset(all: false, messageID: nil), .ensureDevice])
        let device = other.value(for: .deviceID)
        #expect(device != former?.text && outbox.value(for: .deviceID) == device)

        await outbox.commit(.unbind(Generation(1), known(SessionID("s1")), refused: Record.ID(1)))
        await outbox.commit([.ensureDevice, .bind(1, "s2")])

        #expect(try outbox.state().entry.device?.text == device)
        #expect(outbox.value(for: .deviceID) == device)
    }

    @Test(
        "has its user and the session's metadata last as long as its session, which another one may have renewed",
        arguments: zip([900, 5], [200, 997]) as Zip2Sequence<[Double], [Double]>)
    func renewsValuesOfSession(after age: Double, until later: Double) async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder, clock: clock) { $0.expiration = .seconds(1000) })
        let metadata = #"{"plan":"pro"}"#
        await outbox.commit([
            .append(Draft.sample("m1", sessionMetadata: known(try? JSONText(validating: metadata)))), .bind(1, "s1"),
            .identify(Generation(1), known(UserID("u1"))),
        ])

        clock.advance(by: .seconds(age))
        await outbox.commit(.bind(1, "s2"))
        clock.advance(by: .seconds(later))

        #expect(await outbox.commit(.append("m2")).state?.entry.identifyID?.text == "u1")
        #expect(outbox.value(for: .sessionID) == "s2" && outbox.value(for: .identifyID) == "u1")
        #expect(outbox.value(for: .sessionMetadata) == metadata)

        clock.advance(by: .seconds(800))
        #expect(outbox.value(for: .sessionID) == nil && outbox.value(for: .identifyID) == nil)
        #expect(outbox.value(for: .sessionMetadata) == nil)
    }

    @Test("keeps its session when the clock is set back a year")
    func survivesClockSetBack() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock))
        await outbox.commit(.bind(1, "s1"))

        clock.advance(by: .seconds(-365 * 86_400))

        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(await outbox.commit(.append("m1")).summary == "queued")
    }

    @Test("does not keep a device that a reset in another lane has removed")
    func forgetsDevice() async throws {
        let here = try await SQLiteOutbox.opened(.sample(folder))
        let there = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://other.example.com")))
        let device = await here.commit(.ensureDevice).state?.entry.device
        #expect(await there.commit(.ensureDevice).state?.entry.device == device)
        let bound = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://third.example.com")))
        await bound.commit([.ensureDevice, .bind(1, "s")])

        await here.commit(.reset(all: false, messageID: nil))

        #expect(try there.state().entry.device == nil)
        #expect(try bound.state().entry == GenerationEntry(session: SessionID("s")))
        #expect(bound.value(for: .deviceID) == nil)
        #expect(await there.commit(.ensureDevice).state?.entry.device != device)
    }

    @Test("gets the brand's device, made once, in the form of a UUID", arguments: Place.allCases)
    func makesDevice(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))

        let first = await outbox.commit(.ensureDevice)
        let second = await outbox.commit(.ensureDevice)

        let device = try #require(first.state?.entry.device)
        #expect(
            device.text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(second.state?.entry.device == device)
        #expect(outbox.value(for: .deviceID) == device.text)
        await outbox.commit([.reset(all: false, messageID: nil), .ensureDevice])
        #expect(outbox.value(for: .deviceID) != device.text)
    }
}
