import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("A lane that several clients of a process have")
struct SharedLaneMembersTests {
    @Test("takes calls and resets of all in the order in which they are made, each call in its own session")
    func reset() async throws {
        let lanes = try SharedLanes()
        let (one, other) = (try await lanes.started(), try await lanes.started())

        var calls: [CallReceipt] = []
        for number in 0..<60 {
            if number % 20 == 10 { other.reset() }
            calls.append(one.enqueue(.track("E\(number)")))
        }
        // What has a session is delivered; what has none when the next reset comes is dropped, and counted.
        for call in calls { #expect(await call.outcome.isTaken) }
        _ = await one.flush(timeout: .seconds(60))

        let numbers = lanes.session.names.compactMap { Int($0.dropFirst()) }
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        // The first ten have the first session, the last ten that of the last reset.
        #expect(numbers.prefix(10) == Array(0..<10)[...] && numbers.suffix(10) == Array(50..<60)[...])
        let sessions = Dictionary(grouping: lanes.session.events) { $0.json["session_id"] ?? .null }.values
        #expect(sessions.allSatisfy { events in Set(events.map { ($0.number(in: "E") + 10) / 20 }).count == 1 })
        #expect(one.isBalanced && other.isBalanced)
        await lanes.end()
    }

    @Test("drops at a denial of one what the others have queued, and takes their calls again once one grants it")
    func consent() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes { $0.isEvent ? .gated(gate, .status(200)) : nil }
        let (one, other) = (try await lanes.started(), try await lanes.started())
        #expect(await one.track(eventName: "A").isQueued)
        try await lanes.session.backend.server.requests(atLeast: 2)
        let queued = (0..<10).map { one.enqueue(.track("B\($0)")) }

        async let denial = other.setConsent(.denied)
        for call in queued { #expect(await call.outcome.isTaken) }
        gate.open()
        #expect(await denial.isTaken)
        let refused = await one.track(eventName: "C")
        let isAllowed = one.isTrackingAllowed
        await other.setConsent(.granted)
        let taken = await one.track(eventName: "D")
        _ = await one.flush(timeout: .seconds(60))

        #expect(refused == .dropped(.trackingNotAllowed) && !isAllowed)
        #expect(taken.isTaken)
        #expect(lanes.session.names == ["A", "D"])
        #expect(lanes.session.events.map { $0.json["session_id"] } == ["S1", "S2"])
        await lanes.end()
    }

    @Test("has a denial from before the initialize of one client cancel what the others have under way")
    func denialBeforeInitialize() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes(isClocked: true) { $0.isEvent ? .gated(gate, .status(200)) : nil }
        let (one, other) = (try await lanes.started(), lanes.client())
        #expect(await one.track(eventName: "A").isQueued)
        try await lanes.session.backend.server.requests(atLeast: 2)
        #expect(one.requestsUnderWay == 1)

        await other.setConsent(.denied)
        try await other.initialize(brandId: "925", config: lanes.session.config())
        // The cancellation was ordered before, and is carried out in the loop's next turn.
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        for _ in 0..<3 { await loop.turn() }

        #expect(one.requestsUnderWay == 0)
        #expect(!one.isTrackingAllowed && one.isBalanced)
        gate.open()
        await lanes.end()
    }

    @Test("has a reset from before the initialize of an analytics client cancel the batch of the others")
    func analyticsResetBeforeInitialize() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes(isClocked: true)
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(200)) }
        let (one, other) = (lanes.analyticsClient(), lanes.analyticsClient())
        await one.initializeAndWait(with: fixture.options(flushAt: 1))
        _ = await one.track("A").outcome
        try await fixture.backend.server.requests(atLeast: 1)

        await other.resetAndWait()
        await other.initializeAndWait(with: fixture.options(flushAt: 1))
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        for _ in 0..<3 { await loop.turn() }

        #expect(one.runtime.run?.lane.engine.snapshot.requestsInFlight == 0)
        #expect(one.isBalanced && one.info("account", "dropped", "reset") == 1)
        gate.open()
        await lanes.end()
    }

    @Test("is balanced, and loses and doubles nothing, while some track, some reset and some leave", arguments: 1...5)
    func manyAtOnce(round: Int) async throws {
        let lanes = try SharedLanes()
        let (watcher, leaver) = (try await lanes.started(), try await lanes.started())

        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<3 {
                group.addTask {
                    let client = try await lanes.started()
                    var taken = 0
                    for event in 0..<40 where await client.track(eventName: "\(number)-\(event)").isTaken { taken += 1 }
                    if number > 0 { await client.shutdown(timeout: .zero) }
                    return taken
                }
            }
            group.addTask {
                for _ in 0..<round { await leaver.resetAndWait() }
                await leaver.shutdown(timeout: .zero)
                return 0
            }
            return try await group.reduce(0, +)
        }
        _ = await watcher.flush(timeout: .seconds(60))

        #expect(taken == 120)
        #expect(watcher.isBalanced)
        let dropped = watcher.dropped?["reset"]?.intValue ?? 0
        #expect(lanes.session.names.count == taken - Int(dropped))
        #expect(Set(lanes.session.names).count == lanes.session.names.count)
        await lanes.end()
    }

    @Test("delivers with the credentials of the client that was initialised last, also after it has left")
    func credentials() async throws {
        let lanes = try SharedLanes()
        let one = try await lanes.started(lanes.session.config { $0.xApiKey = "key-1" })
        let other = try await lanes.started(lanes.session.config { $0.xApiKey = "key-2" })
        await other.shutdown(timeout: .zero)

        #expect(await one.track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])

        #expect(lanes.session.events.map { $0.header("X-API-Key") } == ["key-2"])
        await lanes.end()
    }

    @Test("goes on for the others once one of them has reset an analytics client")
    func analyticsReset() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture()
        let (one, other) = (lanes.analyticsClient(), lanes.analyticsClient())
        for client in [one, other] { await client.initializeAndWait(with: fixture.options()) }
        _ = await one.track("A").outcome
        #expect(await one.flush(timeout: .seconds(60)).remaining == 0)

        await one.resetAndWait()
        _ = await other.track("B").outcome
        #expect(await other.flush(timeout: .seconds(60)).remaining == 0)
        await one.initializeAndWait(with: fixture.options())
        _ = await one.track("C").outcome
        #expect(await one.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.names == ["A", "B", "C"])
        await lanes.end()
    }

    /// How a client leaves a lane in which it was asked for credentials.
    enum Departure: CaseIterable {
        case shutdown, otherEndpoint, turnedOff
    }

    @Test(
        "goes on when a client leaves that was asked for credentials and has not answered",
        arguments: Departure.allCases)
    func unanswered(departure: Departure) async throws {
        let lanes = try SharedLanes()
        let fixture = try BasicFixture { _ in .status(401) }
        let (one, other) = (
            BasicTracker(dependencies: lanes.dependencies), BasicTracker(dependencies: lanes.dependencies)
        )
        let asked = Recorder<Bool>()
        one.control.askForCredentials { _ in asked.record(true) }
        let url = fixture.backend.url
        for client in [other, one] { try client.initialize(apiKey: "k", endpoint: url, options: fixture.options) }
        one.track(event: "A")
        try await asked.values(atLeast: 1)

        fixture.backend.answer { $0.header("X-API-Key") == "other" ? .status(200) : .status(401) }
        switch departure {
        case .shutdown: await one.shutdown(timeout: .zero)
        case .otherEndpoint:
            try one.initialize(apiKey: "k", endpoint: url + "/other", options: fixture.options)
            _ = await one.track(event: "C").outcome
        case .turnedOff: try one.initialize(apiKey: "k", endpoint: url, options: fixture.options, enabled: false)
        }
        other.track(event: "B")
        #expect(await other.flush(timeout: .seconds(60)).stoppedBy == .halted)
        try other.setCredentials(Credentials(key: "other"))

        #expect(await other.flush(timeout: .seconds(60)).remaining == 0)
        let delivered = fixture.backend.server.requests.filter { $0.header("X-API-Key") == "other" }
        #expect(delivered.contains { $0.text.contains(#""name":"B""#) })
        await lanes.end()
    }

    @Test("keeps its queue when one of its clients goes to another endpoint; the last one takes it along")
    func otherEndpoint() async throws {
        let lanes = try SharedLanes()
        let (fixture, next) = (try BasicFixture { _ in .status(401) }, try Backend())
        let (one, other) = (
            BasicTracker(dependencies: lanes.dependencies), BasicTracker(dependencies: lanes.dependencies)
        )
        for client in [one, other] {
            try client.initialize(apiKey: "k", endpoint: fixture.backend.url, options: fixture.options)
        }
        _ = await other.track(event: "A").outcome
        #expect(await one.flush(timeout: .seconds(60)).stoppedBy == .halted)

        try one.initialize(apiKey: "k", endpoint: next.url, options: fixture.options)
        one.track(event: "B")
        #expect(await one.flush(timeout: .seconds(60)).remaining == 0)
        #expect(next.events.map { $0["name"] } == ["B"])

        try other.initialize(apiKey: "k", endpoint: next.url + "/new", options: fixture.options)
        other.track(event: "C")
        #expect(await other.flush(timeout: .seconds(60)).remaining == 0)
        #expect(next.events.map { $0["name"] } == ["B", "A", "C"])
        await lanes.end()
    }

    @Test(
        "tells an initialize what the server has answered, where delivery is halted or halts again",
        arguments: [401, 404])
    func haltedInitialize(status: Int) async throws {
        let lanes = try SharedLanes { _ in .status(status) }
        let first = try await lanes.started(lanes.session.config { $0.sessionCreation = .inBackground })
        _ = await first.track(eventName: "A")
        #expect(await first.flush(timeout: .seconds(60)).stoppedBy == .halted)

        for key in [lanes.session.config().xApiKey, "another-key"] {
            let client = lanes.client()
            let config = lanes.session.config { $0.xApiKey = key }
            let error = await #expect(throws: TrackerError.self) {
                try await client.initialize(brandId: "925", config: config)
            }
            #expect(error?.code == .sessionCreationFailed && error?.cause == .status(status), "\(key ?? "")")
        }
        await lanes.end()
    }

    @Test("warns a client whose options of batches are others than those that hold")
    func otherBatches() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture()
        let clients = [lanes.analyticsClient(), lanes.analyticsClient()]
        var options = fixture.options()
        await clients[0].initializeAndWait(with: options)
        #expect(!lanes.log.lines.all.contains { $0.contains("other options") })

        options.whenRefused = .disable
        await clients[1].initializeAndWait(with: options)

        #expect(lanes.log.lines.all.contains { $0.hasPrefix("warning:") && $0.contains("other options of delivery") })
        await lanes.end()
    }

    @Test("keeps the options of the client that opened it where another one brings other credentials")
    func optionsOfOpener() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture { _ in .status(401) }
        let (one, other) = (lanes.analyticsClient(), lanes.analyticsClient())
        await one.initializeAndWait(with: fixture.options())
        await other.initializeAndWait(with: fixture.options(whenRefused: .disable) { $0.headers = ["X-Team": "1"] })

        _ = await one.track("A").outcome
        let report = await one.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .halted && report.remaining == 1)
        #expect(fixture.backend.server.requests.last?.header("X-Team") == "1")
        #expect(other.info("lifecycle") == "halted")
        await lanes.end()
    }

    @Test("has the options of a client that has it alone, though another one has opened it")
    func optionsOfLast() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture()
        let (one, other) = (lanes.analyticsClient(), lanes.analyticsClient())
        await one.initializeAndWait(with: fixture.options())
        await one.shutdown(timeout: .zero)

        await other.initializeAndWait(with: fixture.options(flushAt: 1))
        _ = await other.track("A").outcome

        try await fixture.backend.server.requests(atLeast: 1)
        #expect(!lanes.log.lines.all.contains { $0.contains("other options") })
        await lanes.end()
    }

    @Test("warns each client that joins of what waits in its folder and nobody delivers")
    func otherLaneWaits() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture { _ in .status(503) }
        let patient = fixture.options {
            ($0.retryDelay, $0.cooldown, $0.maxCooldown) = (.seconds(3600), .seconds(3600), .seconds(3600))
        }
        await fixture.start(patient)
        _ = await fixture.client.track("A").outcome
        await fixture.client.shutdown(timeout: .seconds(60))
        let (opener, joiner) = (listening(in: lanes), listening(in: lanes))

        for client in [opener.client, joiner.client] {
            await client.initializeAndWait(with: fixture.options(writeKey: "another-key"))
        }

        let warning = "1 event of AnalyticsClient with another write key waits"
        #expect(joiner.log.lines.all.count { $0.contains(warning) } == 1)
        #expect(lanes.log.lines.all.count { $0.contains(warning) } == 1)
        await lanes.end()
    }

    /// A client of a process, and what it hears of the lanes that it shares.
    private func listening(in lanes: SharedLanes) -> (client: AnalyticsClient, log: RecordingLog) {
        let log = RecordingLog()
        var dependencies = lanes.dependencies
        dependencies.sharing = ClientSharing(lanes.registry, log: lanes.log, listener: log)
        return (AnalyticsClient(dependencies: dependencies), log)
    }

    @Test("passes debug messages on to those clients alone that want them, and logs none once these have left")
    func verbosity() async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture()
        let (quiet, verbose) = (listening(in: lanes), listening(in: lanes))
        var options = fixture.options()
        await quiet.client.initializeAndWait(with: options)
        options.debug = true
        await verbose.client.initializeAndWait(with: options)

        _ = await verbose.client.track("A").outcome
        #expect(await verbose.client.flush(timeout: .seconds(60)).remaining == 0)
        await verbose.client.shutdown(timeout: .zero)
        _ = await quiet.client.track("B").outcome
        #expect(await quiet.client.flush(timeout: .seconds(60)).remaining == 0)

        let tracked = [quiet.log, verbose.log, lanes.log].map { log in
            log.lines.all.filter { $0.hasPrefix("debug: Event tracked: ") }.map { String($0.suffix(1)) }
        }
        #expect(tracked == [[], ["A"], ["A"]])
        await lanes.end()
    }

    @Test("passes them on to a client that asks for them by a call, whenever it does", arguments: [true, false])
    func enabledVerbosity(isEarly: Bool) async throws {
        let lanes = try SharedLanes()
        let fixture = try AnalyticsFixture()
        let (client, log) = listening(in: lanes)
        if isEarly { client.enableDebugLogging() }
        await client.initializeAndWait(with: fixture.options())
        if !isEarly { client.enableDebugLogging() }

        _ = await client.track("A").outcome
        #expect(await client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(log.lines.all.contains("debug: Event tracked: A"))
        await lanes.end()
    }

    @Test("that is halted is tried at once by an initialize with the same key", arguments: [true, false])
    func sameKey(hasSession: Bool) async throws {
        let lanes = try SharedLanes { hasSession == $0.isEvent ? .status(401) : nil }
        var patient = lanes.session.config { $0.delivery.haltRetry = .zero }
        patient.sessionCreation = .inBackground
        let first = try await lanes.started(patient)
        _ = await first.track(eventName: "A")
        #expect(await first.flush(timeout: .seconds(60)).stoppedBy == .halted)
        lanes.session.answer()

        let second = try await lanes.started(lanes.session.config { $0.delivery.haltRetry = .zero })

        #expect(await second.flush(timeout: .seconds(60)).remaining == 0)
        #expect(await first.flush(timeout: .seconds(60)).remaining == 0)
        await lanes.end()
    }

    @Test("without a session is tried at once by an initialize that waits for one, whatever the lane waits for")
    func initializeInOutage() async throws {
        let lanes = try SharedLanes(isClocked: true) { _ in .status(503) }
        let first = try await lanes.started(lanes.session.config { $0.sessionCreation = .inBackground })
        // The lane waits for its clock once the first request has failed.
        _ = await first.track(eventName: "A")
        #expect(await first.flush(timeout: .seconds(60)).stoppedBy == .retryWait)
        lanes.session.answer()

        _ = try await lanes.started()

        try await lanes.delivers(["A"])
        await lanes.end()
    }

    @Test("makes its first session with each key that waits, and tells each client what its own key came to")
    func keysOfWaiters() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes { $0.header("X-API-Key") == "bad" ? .gated(gate, .status(401)) : nil }
        let (bad, good) = (lanes.client(), lanes.client())
        async let refused = #expect(throws: TrackerError.self) {
            try await bad.initialize(brandId: "925", config: lanes.session.config { $0.xApiKey = "bad" })
        }
        try await lanes.session.backend.server.requests(atLeast: 1)
        async let taken: Void = good.initialize(brandId: "925", config: lanes.session.config())
        gate.open()
        #expect(await refused?.cause == .status(401))
        try await taken
        await lanes.end()
    }

    @Test("says in the log that it is halted when no client is left, and reads the last one's key file again")
    func haltedAlone() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes(isClocked: true) {
            $0.isEvent && $0.header("X-API-Key") != "new" ? .gated(gate, .status(401)) : nil
        }
        let path = lanes.session.directory.path("key")
        func write(_ key: String) throws {
            try Data(key.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        func wait(for what: String, until isTrue: @escaping @Sendable () -> Bool) async throws {
            try await withGuard(what) {
                while !isTrue() {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        try write("old")
        let client = try await lanes.started(lanes.session.config { ($0.xApiKey, $0.delivery.keyFile) = (nil, path) })
        #expect(await client.track(eventName: "A").isQueued)
        try await lanes.session.backend.server.requests(atLeast: 2)
        await client.shutdown(timeout: .zero)
        gate.open()

        try await wait(for: "the log") {
            lanes.log.lines.all.contains { $0.hasPrefix("error:") && $0.contains("Delivery is halted") }
        }
        try write("new")
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        loop.advance(by: .seconds(300))
        try await wait(for: "the delivery") { lanes.session.requests.contains { $0.header("X-API-Key") == "new" } }
        await lanes.end()
    }

    @Test("goes on with the key file of a client when one that brought another key has left")
    func keyFileAfterOther() async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let path = lanes.session.directory.path("key")
        try Data("good\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let first = try await lanes.started(
            lanes.session.config { ($0.xApiKey, $0.delivery.keyFile) = (nil, path) })
        let other = try await lanes.started(lanes.session.config { $0.xApiKey = "bad" })
        #expect(await other.track(eventName: "A").isQueued)
        #expect(await other.flush(timeout: .seconds(60)).stoppedBy == .halted)
        await other.shutdown(timeout: .zero)

        let loop = try await lanes.loops.values(atLeast: 1)[0]
        loop.advance(by: .seconds(300))

        #expect(await first.flush(timeout: .seconds(60)).remaining == 0)
        #expect(lanes.session.requests.last?.header("X-API-Key") == "good")
        await lanes.end()
    }

    @Test(
        "goes on with the key of one client where another has none and does not answer for one, or not yet",
        arguments: [true, false, nil] as [Bool?])
    func withoutKey(leaves: Bool?) async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let one = try await lanes.started(lanes.session.config { $0.xApiKey = "good" })
        let other = lanes.client()
        let asked = Recorder<Bool>()
        other.control.askForCredentials { _ in asked.record(true) }
        other.initialize(brandId: "925", config: lanes.session.config { $0.xApiKey = nil }) { _ in }
        try await asked.values(atLeast: 1)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        switch leaves {
        case true?: await other.shutdown(timeout: .zero)
        case false?:
            try await loop.timer(at: .seconds(10))
            loop.advance(by: .seconds(10))
        case nil: break
        }

        #expect(await one.track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])

        #expect(lanes.session.requests.allSatisfy { $0.header("X-API-Key") == "good" })
        await lanes.end()
    }

    @Test(
        "tries the own key of a client that waits, and not that of a file which another one has",
        arguments: [true, false])
    func keyBesideFile(isGood: Bool) async throws {
        let lanes = try SharedLanes { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let path = lanes.session.directory.path("key")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let first = try await lanes.started(
            lanes.session.config {
                ($0.xApiKey, $0.delivery.keyFile, $0.delivery.haltRetry) = (nil, path, .zero)
                $0.sessionCreation = .inBackground
            })
        _ = await first.track(eventName: "A")
        #expect(await first.flush(timeout: .seconds(60)).stoppedBy == .halted)
        let before = lanes.session.requests.count
        let other = lanes.client()

        let error = await lanes.failure(of: other) {
            ($0.xApiKey, $0.delivery.haltRetry) = (isGood ? "good" : "bad", .zero)
        }

        #expect(error?.cause == (isGood ? nil : .status(401)))
        let keys = lanes.session.requests.dropFirst(before).map { $0.header("X-API-Key") }
        #expect(isGood ? Set(keys) == ["good"] : keys.count { $0 == "bad" } == 1, "\(keys)")
        try Data("good".utf8).write(to: URL(fileURLWithPath: path))
        _ = await first.track(eventName: "B")
        try await withGuard("the delivery") {
            while await first.flush(timeout: .seconds(60)).remaining > 0 { try Task.checkCancellation() }
        }
        #expect(lanes.session.names == ["A", "B"])
        await lanes.end()
    }

    /// A client with an event, whose program was asked for credentials and did not answer: delivery has halted.
    private func silentClient(
        of lanes: SharedLanes, key: String?
    ) async throws -> (client: MobileTracker, asked: Recorder<Bool>) {
        let (client, asked) = (lanes.client(), Recorder<Bool>())
        client.control.askForCredentials { _ in asked.record(true) }
        try await client.initialize(
            brandId: "925", config: lanes.session.config { ($0.xApiKey, $0.sessionCreation) = (key, .inBackground) })
        _ = await client.track(eventName: "A")
        try await asked.values(atLeast: 1)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await loop.timer(at: .seconds(10))
        loop.advance(by: .seconds(10))
        #expect(await client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        return (client, asked)
    }

    @Test("sends nothing without a key when the one of a client is refused that came besides")
    func asksAgain() async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let (first, asked) = try await silentClient(of: lanes, key: nil)
        let other = lanes.client()
        let questions = asked.all.count

        #expect(await lanes.failure(of: other) { $0.xApiKey = "bad" }?.cause == .status(401))
        try await asked.values(atLeast: questions + 1)
        try first.setCredentials(Credentials(key: "good"))

        try await lanes.delivers(["A"])
        #expect(lanes.session.requests.allSatisfy { $0.header("X-API-Key")?.isEmpty == false })
        await lanes.end()
    }

    @Test("looks at its queue once the disk works again, also without a client")
    func diskWorksAgain() throws {
        let audience = Audience(log: RecordingLog())
        let kicks = Recorder<Bool>()
        audience.connect({ _ in true }, alone: { _ in }, kick: { kicks.record(true) })
        audience.hear(.writeFailed(StorageError(.full, "The disk is full")))
        #expect(kicks.all.isEmpty)

        audience.hear(.recovered)
        audience.hear(.unwrittenIsWritten)
        #expect(kicks.all.count == 2)
    }

    @Test("sends nothing without a key once the only client has left that was asked for one")
    func leftWithoutKey() async throws {
        let lanes = try SharedLanes(isClocked: true)
        let client = lanes.client()
        let asked = Recorder<Bool>()
        client.control.askForCredentials { _ in asked.record(true) }
        try await client.initialize(
            brandId: "925", config: lanes.session.config { ($0.xApiKey, $0.sessionCreation) = (nil, .inBackground) })
        _ = await client.track(eventName: "A")
        try await asked.values(atLeast: 1)
        await client.shutdown(timeout: .zero)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        for seconds in [300.0, 600] {
            try await loop.timer(at: .seconds(seconds))
            loop.advance(by: .seconds(300))
            await loop.turn()
        }
        #expect(lanes.session.requests.isEmpty)

        let other = try await lanes.started(lanes.session.config { $0.xApiKey = "good" })
        #expect(await other.flush(timeout: .seconds(60)).remaining == 0)
        #expect(lanes.session.requests.allSatisfy { $0.header("X-API-Key") == "good" })
        await lanes.end()
    }

    @Test(
        "asks each client about a refusal of its key, also after another one that did not answer, or has left",
        arguments: [false, true])
    func asksEach(leaves: Bool) async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let (first, _) = try await silentClient(of: lanes, key: "old")
        let other = lanes.client()

        if leaves { await first.shutdown(timeout: .zero) }
        other.control.askForCredentials { [weak other] _ in try? other?.setCredentials(Credentials(key: "good")) }
        try await other.initialize(
            brandId: "925", config: lanes.session.config { ($0.xApiKey, $0.sessionCreation) = ("stale", .inBackground) }
        )

        try await lanes.delivers(["A"])
        await lanes.end()
    }

    @Test("goes back to the key that delivers when a client has given a bad one while it was initialised")
    func givenWhileOpening() async throws {
        let lanes = try SharedLanes(isClocked: true) {
            $0.header("X-API-Key") == "good" ? .status(503) : .status(401)
        }
        let first = try await lanes.started(
            lanes.session.config { ($0.xApiKey, $0.sessionCreation) = ("good", .inBackground) })
        _ = await first.track(eventName: "A")
        #expect(await first.flush(timeout: .seconds(60)).stoppedBy == .retryWait)
        let other = lanes.client()
        other.control.askForCredentials { [weak other] _ in try? other?.setCredentials(Credentials(key: "bad")) }
        // If the bad key is refused before this client waits, it hears what the good one has come to.
        #expect(await lanes.failure(of: other) { $0.xApiKey = nil } != nil)

        lanes.session.answer { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await withGuard("the delivery") {
            while lanes.session.events.allSatisfy({ $0.header("X-API-Key") != "good" }) {
                loop.advance(by: .seconds(300))
                await loop.turn()
                try Task.checkCancellation()
            }
        }
        await lanes.end()
    }

    @Test(
        "tries the key of a client at once where the one that has opened it has none",
        arguments: [TrackerConfig.SessionCreation.duringInit, .inBackground])
    func keyAfterNone(creation: TrackerConfig.SessionCreation) async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "good" ? nil : .status(401) }
        let (first, other) = (lanes.client(), lanes.client())
        let asked = Recorder<Bool>()
        first.control.askForCredentials { _ in asked.record(true) }
        first.initialize(
            brandId: "925", config: lanes.session.config { ($0.xApiKey, $0.sessionCreation) = (nil, creation) }
        ) { _ in }
        try await asked.values(atLeast: 1)
        async let taken = lanes.failure(of: other) { $0.xApiKey = "good" }
        try await withGuard("the key of the other client") {
            while first.runtime.run?.lane.hasOtherKey(than: Secret("good")) != false {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await loop.timer(at: .seconds(10))
        loop.advance(by: .seconds(10))

        #expect(await taken == nil)
        #expect(lanes.session.requests.allSatisfy { $0.header("X-API-Key") == "good" })
        await lanes.end()
    }

    @Test("waits for the key of a client that has none once the others' keys are refused")
    func waitsForKey() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes(isClocked: true) {
            switch $0.header("X-API-Key") {
            case "good": nil
            case "bad": .gated(gate, .status(401))
            default: .status(401)
            }
        }
        let (bad, other) = (lanes.client(), lanes.client())
        async let refused = lanes.failure(of: bad) { $0.xApiKey = "bad" }
        try await lanes.session.backend.server.requests(atLeast: 1)
        let asked = Recorder<Bool>()
        other.control.askForCredentials { _ in asked.record(true) }
        async let taken = lanes.failure(of: other) { $0.xApiKey = nil }
        try await asked.values(atLeast: 1)
        gate.open()
        #expect(await refused?.cause == .status(401))
        try await asked.values(atLeast: 2)

        try other.setCredentials(Credentials(key: "good"))

        #expect(await taken == nil)
        #expect(lanes.session.requests.allSatisfy { $0.header("X-API-Key")?.isEmpty == false })
        await lanes.end()
    }

    @Test("reads the key file of one client where another has no key and gives none", arguments: [true, false])
    func keyFileBesideNoKey(leaves: Bool) async throws {
        let lanes = try SharedLanes(isClocked: true)
        let path = lanes.session.directory.path("key")
        func write(_ key: String) throws {
            try Data(key.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        try write("old")
        let one = try await lanes.started(lanes.session.config { ($0.xApiKey, $0.delivery.keyFile) = (nil, path) })
        let other = lanes.client()
        let asked = Recorder<Bool>()
        other.control.askForCredentials { _ in asked.record(true) }
        other.initialize(brandId: "925", config: lanes.session.config { $0.xApiKey = nil }) { _ in }
        try await asked.values(atLeast: 1)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await loop.timer(at: .seconds(10))
        loop.advance(by: .seconds(10))
        await loop.turn()
        if leaves { await one.shutdown(timeout: .zero) }
        try write("new")
        lanes.session.answer { $0.header("X-API-Key") == "new" ? nil : .status(401) }

        let last = leaves ? other : one
        #expect(await last.track(eventName: "A").isQueued)
        #expect(await last.flush(timeout: .seconds(60)).remaining == 0)

        #expect(lanes.session.requests.last?.header("X-API-Key") == "new")
        await lanes.end()
    }

    @Test("that is halted is told to a client that has no key and gives none: its next initialize counts")
    func haltedWithoutKey() async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.isEvent ? .status(401) : nil }
        let one = try await lanes.started()
        #expect(await one.track(eventName: "A").isQueued)
        #expect(await one.flush(timeout: .seconds(60)).stoppedBy == .halted)
        let other = lanes.client()
        let asked = Recorder<Bool>()
        other.control.askForCredentials { _ in asked.record(true) }
        let config = lanes.session.config { $0.xApiKey = nil }
        let answers = Recorder<Result<Void, TrackerError>>()
        other.initialize(brandId: "925", config: config) { answers.record($0) }
        try await asked.values(atLeast: 1)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await loop.timer(at: .seconds(10))
        loop.advance(by: .seconds(10))
        await loop.turn()
        try await answers.values(atLeast: 1)
        #expect(other.debugInfo()["lifecycle"] == "halted")

        other.initialize(brandId: "925", config: config) { answers.record($0) }

        try await asked.values(atLeast: 2)
        await lanes.end()
    }

    @Test("makes a session for an initialize after one that has failed while its client was asked for credentials")
    func unansweredInitialize() async throws {
        let lanes = try SharedLanes(isClocked: true) { $0.header("X-API-Key") == "bad" ? .status(401) : nil }
        let client = lanes.client()
        let asked = Recorder<Bool>()
        client.control.askForCredentials { _ in asked.record(true) }
        let answers = Recorder<Result<Void, TrackerError>>()
        let config = lanes.session.config { ($0.xApiKey, $0.initTimeout) = ("bad", .seconds(4)) }
        client.initialize(brandId: "925", config: config) { answers.record($0) }
        try await asked.values(atLeast: 1)
        try await lanes.loops.values(atLeast: 1)[0].timer(at: .seconds(4))
        lanes.loops.all[0].advance(by: .seconds(4))
        let failed = try await answers.values(atLeast: 1)[0]
        #expect(throws: TrackerError.self) { try failed.get() }

        try await client.initialize(brandId: "925", config: lanes.session.config { $0.xApiKey = "good" })

        #expect(await client.track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])
        await lanes.end()
    }

    @Test("answers a client that opens it while another one does, each once", arguments: 0..<20)
    func opensAtOnce(attempt: Int) async throws {
        let lanes = try SharedLanes()
        let answers = Recorder<Result<Void, TrackerError>>()
        let clients = (0..<8).map { _ in lanes.client() }

        for client in clients {
            client.initialize(brandId: "925", config: lanes.session.config()) { answers.record($0) }
        }
        try await answers.values(atLeast: clients.count)
        for client in clients { await client.shutdown(timeout: .zero) }
        await lanes.end()

        #expect(answers.all.count == clients.count)
        for answer in answers.all { #expect(throws: Never.self) { try answer.get() } }
        #expect(lanes.opened.all.count == 1 && lanes.session.creations.count == 1)
    }
}

extension MobileTracker {
    fileprivate var requestsUnderWay: Int? { runtime.run?.lane.engine.snapshot.requestsInFlight }
}

extension TrackOutcome {
    /// Whether the call is on disk.
    fileprivate var isTaken: Bool { isQueued || isPending }
}

extension LoopbackRequest {
    /// The number behind a letter in the name of an event.
    fileprivate func number(in letter: String) -> Int {
        json["event_name"]?.stringValue.flatMap { Int($0.dropFirst(letter.count)) } ?? -1
    }
}
