import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The program's own word on each call, and its own log")
struct BeforeSendTests {
    private struct Fault: Error { let person = "ada@example.com" }

    /// Masks emails, renames, drops what is secret, and throws at what is broken.
    private static let beforeSend: BeforeSend = { call in
        var call = call
        switch call.name {
        case "SECRET": return nil
        case "BROKEN": throw Fault()
        case "BLANK": call.name = " "
        case let name?: call.name = name + "!"
        case nil: break
        }
        if call.properties?["email"] != nil { call.properties?["email"] = "***" }
        call.metadata?["extra"] = true
        if let user = call.userId { call.userId = "hash of \(user)" }
        return call
    }

    @Test("changes events, screens and users of a session tracker before anything is stored")
    func session() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.beforeSend = Self.beforeSend })
        let tracker = fixture.tracker

        await tracker.track(
            eventName: "A", attributes: ["email": "ada@example.com", "n": 1.50], metadata: ["m": 1])
        await tracker.screen(name: "Home")
        await tracker.screenDidAppear(name: "Cart")
        await tracker.identify(userId: "ada", profileData: ["email": "ada@example.com"])
        await tracker.set(profileData: ["email": "ada@example.com"])
        await tracker.setMetadata(["email": "ada@example.com"])
        #expect(await tracker.flush(timeout: .seconds(60)).remaining == 0)

        let bodies = fixture.backend.server.requests.map(\.json)
        let events = bodies.filter { $0["event_name"] != nil }
        #expect(events[0]["event_name"] == "A!")
        #expect(events[0]["data"]?["email"] == "***" && events[0]["data"]?["extra"] == true)
        #expect(events[1]["data"]?["screen"] == "Home!" && events[1]["data"]?["url"] == "Home!")
        #expect(events[2]["data"]?["screen"] == "Cart!")
        #expect(!fixture.backend.server.requests.contains { $0.text.contains("ada@example.com") })
        #expect(fixture.backend.server.requests.contains { $0.target.contains("identify/hash%20of%20ada") })
    }

    @Test("changes analytics and basic calls too")
    func others() async throws {
        let analytics = try AnalyticsFixture()
        var options = analytics.options()
        options.beforeSend = Self.beforeSend
        await analytics.start(options)
        analytics.client.track("A", properties: ["email": "x"], options: CallOptions(groupId: "g"))
        analytics.client.identify("ada", traits: ["email": "x"])
        analytics.client.page("P")
        analytics.client.alias("bob")
        _ = await analytics.client.flush(timeout: .seconds(60))
        let events = analytics.backend.events
        #expect(events.map { $0["event"]?.stringValue } == ["A!", nil, "P!", nil])
        #expect(events.map { $0["userId"]?.stringValue } == [nil, "hash of ada", "hash of ada", "hash of bob"])
        #expect(events[0]["properties"] == ["email": "***"] && events[1]["traits"] == ["email": "***"])
        #expect(events[0]["groupId"] == "g")

        let basic = try BasicFixture()
        try basic.tracker.initialize(
            apiKey: "key-1234", endpoint: basic.backend.url + "/events", options: basic.options,
            beforeSend: Self.beforeSend)
        basic.tracker.track(event: "A", properties: ["email": "x"])
        basic.tracker.identify(userId: "ada")
        _ = await basic.tracker.flush(timeout: .seconds(60))
        #expect(basic.backend.events.map { $0["name"]?.stringValue } == ["A!", nil])
        #expect(basic.backend.events[0]["properties"] == ["email": "***"])
        #expect(basic.backend.events[1]["userId"] == "hash of ada")
    }

    @Test("drops a call by nil, and by an error with a warning that says nothing of it")
    func drops() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.beforeSend = Self.beforeSend })
        var diagnostics = fixture.tracker.diagnostics.makeAsyncIterator()

        #expect(await fixture.tracker.track(eventName: "SECRET") == .dropped(.beforeSend))
        #expect(fixture.log.lines.all.filter { $0.hasPrefix("warning:") } == [])
        #expect(await fixture.tracker.track(eventName: "BROKEN") == .dropped(.beforeSend))
        // What it has made of a call is checked like any other.
        #expect(await fixture.tracker.track(eventName: "BLANK") == .dropped(.invalidEventName))
        #expect(await fixture.tracker.track(eventName: "B").messageID != nil)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(await diagnostics.next() == .refused(call: "SECRET", .beforeSend))
        #expect(await diagnostics.next() == .refused(call: "BROKEN", .beforeSend))
        let warnings = fixture.log.lines.all.filter { $0.hasPrefix("warning:") }
        #expect(warnings.first == "warning: Dropped BROKEN: beforeSend has thrown Fault")
        #expect(!warnings.contains { $0.contains("ada@example.com") })
        #expect(fixture.tracker.info("refused", "BEFORE_SEND") == 2)
        #expect(fixture.backend.server.requests.compactMap { $0.json["event_name"]?.stringValue } == ["B!"])
    }

    @Test("sees valid calls alone, each with exactly what it was given, and may make calls itself")
    func sees() async throws {
        let fixture = try AnalyticsFixture()
        let seen = Recorder<OutgoingCall>()
        var options = fixture.options()
        options.beforeSend = { [weak client = fixture.client] call in
            seen.record(call)
            if call.name == "A" { client?.track("Inner") }
            return call
        }
        await fixture.start(options)

        fixture.client.track("A", properties: .of(#"{"n":1.50}"#))
        fixture.client.track(" ")
        fixture.client.track("NaN", properties: ["x": JSONValue(Double.nan)])
        fixture.client.group("g1", traits: ["a": 1])
        fixture.client.setAdvertisingId("ad-1")
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(
            seen.all == [
                OutgoingCall(method: "track", name: "A", properties: JSONValue(.of(#"{"n":1.50}"#)).objectValue),
                OutgoingCall(method: "track", name: "Inner"),
                OutgoingCall(method: "group", groupId: "g1", properties: ["a": 1]),
                OutgoingCall(method: "setAdvertisingId", advertisingId: "ad-1"),
            ])
        #expect(fixture.names == ["Inner", "A"])
        // What it leaves alone goes out to the character.
        #expect(fixture.backend.server.requests.contains { $0.text.contains(#"{"n":1.50}"#) })
    }

    @Test("sees analytics calls that were made before initialize")
    func held() async throws {
        let fixture = try AnalyticsFixture()
        let dropped = fixture.client.track("SECRET")
        fixture.client.track("A", options: CallOptions(userId: "u1"))
        fixture.client.track("B")
        var options = fixture.options()
        options.beforeSend = Self.beforeSend
        await fixture.start(options)
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(await dropped.outcome == .dropped(.beforeSend))
        #expect(fixture.names == ["A!", "B!"])
        #expect(fixture.backend.events[0]["userId"] == "hash of u1")
    }

    @Test("sees a call that is made while the first initialize brings it")
    func broughtMeanwhile() async throws {
        let fixture = try AnalyticsFixture()
        let clock = InterruptedClock()
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.clock = clock
        let client = AnalyticsClient(dependencies: dependencies)
        var options = fixture.options()
        options.beforeSend = Self.beforeSend
        // A call is looked at before it is stamped, and has its place after that.
        clock.interrupt { [options] in client.initialize(with: options) }

        let call = client.track("A", properties: ["email": "ada@example.com"])
        await client.initializeAndWait(with: options)
        _ = await client.flush(timeout: .seconds(60))

        #expect(await call.outcome.messageID != nil)
        #expect(fixture.names == ["A!"])
        #expect(!fixture.backend.server.requests.contains { $0.text.contains("ada@example.com") })
        await client.shutdown()
    }

    @Test("sees a call too that the function before it was looking at")
    func replacedMeanwhile() async throws {
        let fixture = try BasicFixture()
        let seen = Recorder<OutgoingCall>()
        let initialize = { @Sendable [fixture] (beforeSend: @escaping BeforeSend) throws in
            try fixture.tracker.initialize(
                apiKey: "key-1234", endpoint: fixture.backend.url + "/events", options: fixture.options,
                beforeSend: beforeSend)
        }
        try initialize { call in
            seen.record(call)
            try initialize(Self.beforeSend)
            return call
        }

        fixture.tracker.track(event: "A")
        fixture.tracker.track(event: "B")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(seen.all.map(\.name) == ["A"])
        #expect(fixture.backend.events.map { $0["name"]?.stringValue } == ["A!", "B!"])
    }

    @Test("that replaces itself each time drops the call, with a warning")
    func replacesItself() async throws {
        let fixture = try BasicFixture()
        @Sendable func again(_ call: OutgoingCall) throws -> OutgoingCall? {
            try fixture.tracker.initialize(
                apiKey: "key-1234", endpoint: fixture.backend.url, options: fixture.options, beforeSend: again)
            return call
        }
        _ = try again(OutgoingCall(method: "track"))

        let call = fixture.tracker.track(event: "A")

        #expect(await call.outcome == .dropped(.beforeSend))
        #expect(fixture.log.lines.all == ["warning: Dropped A: beforeSend is replaced each time that it is called"])
        await fixture.tracker.shutdown()
    }

    @Test("brings no call back that a reset drops while the function looks at it")
    func resetMeanwhile() async throws {
        let fixture = try AnalyticsFixture()
        let calls = ["A", "B"].map { fixture.client.track($0) }
        var options = fixture.options()
        options.beforeSend = { [weak client = fixture.client] call in
            if call.name == "A" { client?.reset(messageId: nil) }
            return call
        }

        await fixture.start(options)
        fixture.client.track("C")
        _ = await fixture.client.flush(timeout: .seconds(60))

        for call in calls { #expect(await call.outcome == .dropped(.notInitialized)) }
        #expect(fixture.names == ["C"])
    }

    @Test("ends with the options that brought it")
    func ends() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { _ in nil }
        await fixture.start(options)
        #expect(await fixture.client.track("A").outcome == .dropped(.beforeSend))

        await fixture.client.resetAndWait()
        await fixture.start(fixture.options())
        #expect(await fixture.client.track("B").outcome.messageID != nil)
    }

    @Test("sees a call after a reset once: the function of the next options does")
    func afterReset() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = Self.beforeSend
        await fixture.start(options)
        await fixture.client.resetAndWait()
        fixture.client.track("A")
        await fixture.start(options)
        _ = await fixture.client.flush(timeout: .seconds(60))
        await fixture.client.resetAndWait()
        fixture.client.track("SECRET")
        await fixture.start()
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.names == ["A!", "SECRET"])
    }

    private static let asking: BeforeSend = { call in
        var call = call
        call.name = call.name.map { "\($0)?" }
        return call
    }

    /// A client whose disk can be made to stall.
    private static func client(of fixture: AnalyticsFixture) -> (AnalyticsClient, OutboxFaults) {
        let faults = OutboxFaults()
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.makeOutbox = { faults.outbox($0) }
        return (AnalyticsClient(dependencies: dependencies), faults)
    }

    @Test("sees a call during a reset once: the function of the last initialize before it does")
    func duringReset() async throws {
        let fixture = try AnalyticsFixture()
        let (client, faults) = Self.client(of: fixture)
        var (first, second) = (fixture.options(), fixture.options())
        first.beforeSend = Self.beforeSend
        second.beforeSend = Self.asking
        await client.initializeAndWait(with: first)
        // The reset is not over before its lane is closed.
        faults.stall()
        client.reset()

        client.track("A")
        client.initialize(with: second)
        client.track("B")
        faults.goOn()
        _ = await client.flush(timeout: .seconds(60))

        #expect(fixture.names == ["A!", "B?"])
        await client.shutdown()
    }

    @Test("does not see a call that another function has seen meanwhile")
    func nested() async throws {
        let fixture = try AnalyticsFixture()
        let (client, faults) = Self.client(of: fixture)
        var inner = fixture.options()
        inner.beforeSend = Self.asking
        var outer = fixture.options()
        outer.beforeSend = { [weak client, inner] call in
            client?.initialize(with: inner)
            return call.name == "A" ? nil : call
        }
        await client.initializeAndWait(with: fixture.options())
        faults.stall()
        client.reset()
        let call = client.track("A")

        client.initialize(with: outer)
        faults.goOn()
        _ = await client.flush(timeout: .seconds(60))

        #expect(await call.outcome.messageID != nil)
        #expect(fixture.names == ["A?"])
        await client.shutdown()
    }

    @Test("sees no call that waited, if its client is off or its options are not valid")
    func notInForce() async throws {
        let seen = Recorder<OutgoingCall>()
        for writeKey in ["wk-1", ""] {
            let fixture = try AnalyticsFixture()
            var options = fixture.options(writeKey: writeKey)
            options.enabled = writeKey.isEmpty
            options.beforeSend = {
                seen.record($0)
                return nil
            }
            let call = fixture.client.track("A")

            await fixture.start(options)

            #expect(await call.outcome == .dropped(.disabled))
        }
        #expect(seen.all.isEmpty)
    }

    @Test("messages go to the log of the options, also those of an initialize that fails")
    func log() async throws {
        let own = RecordingLog()
        let session = try SessionFixture()
        _ = await session.failure(
            session.config {
                $0.log = own; $0.xApiKey = " "
            })
        try await session.start(session.config { $0.log = own })
        _ = await session.tracker.track(eventName: " ")
        #expect(session.log.lines.all == [])
        #expect(own.lines.all.first?.contains("Initialization failed: Invalid configuration: 'xApiKey'") == true)
        #expect(own.lines.all.contains { $0.contains("Its name is empty") })

        let (analytics, analyticsLog) = (try AnalyticsFixture(), RecordingLog())
        var options = analytics.options()
        options.log = analyticsLog
        await analytics.start(options)
        _ = await analytics.client.track(" ").outcome
        #expect(analytics.log.lines.all == [] && analyticsLog.lines.all.count == 1)

        let (basic, basicLog) = (try BasicFixture(), RecordingLog())
        try basic.tracker.initialize(
            apiKey: "key-1234", endpoint: basic.backend.url, options: basic.options, log: basicLog)
        _ = await basic.tracker.track(event: " ").outcome
        #expect(basic.log.lines.all == [] && basicLog.lines.all.count == 1)
    }

    @Test("do not make two configurations differ: a second initialize is not warned of")
    func comparison() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.beforeSend = { $0 } })
        try await fixture.start(fixture.config { $0.beforeSend = { $0 } })

        #expect(fixture.log.lines.all == [])
    }
}

/// A system clock that does something else first when it is next asked for the time.
private final class InterruptedClock: TrackerClock {
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    var wall: Timestamp {
        interruption.withLock { $0.take() }?()
        return SystemClock().wall
    }
    var uptime: Duration { SystemClock().uptime }

    func interrupt(_ body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }
}
