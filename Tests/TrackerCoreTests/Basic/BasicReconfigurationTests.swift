import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A second initialize of the basic tracker")
struct BasicReconfigurationTests {
    @Test("changes key and app version for what follows, without error")
    func sameEndpoint() async throws {
        let fixture = try BasicFixture()
        try fixture.start(apiKey: "first")
        fixture.tracker.track(event: "A")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        try fixture.tracker.initialize(
            apiKey: "second", endpoint: fixture.backend.url + "/events", appVersion: "2.0", options: fixture.options)
        fixture.tracker.track(event: "B")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.server.requests.map { $0.header("X-API-Key") } == ["first", "second"])
        #expect(fixture.backend.events.map { $0["context"]?["appVersion"] } == ["1.2.3", "2.0"])
    }

    /// A tracker whose server is down, another server, and options with which the tracker waits.
    private static func withoutServer(inMemory: Bool) throws -> (BasicFixture, Backend, DeliveryOptions) {
        let fixture = try BasicFixture(inMemory ? .memory : .disk) { _ in .status(503) }
        return (fixture, try Backend(), fixture.patientOptions)
    }

    @Test("takes what is queued to the new endpoint, in order, and the user too", arguments: [true, false])
    func newEndpoint(inMemory: Bool) async throws {
        let (fixture, other, options) = try Self.withoutServer(inMemory: inMemory)
        try fixture.tracker.initialize(apiKey: "k", endpoint: fixture.backend.url, options: options)
        fixture.tracker.identify(userId: "u1")
        for name in ["A", "B"] { fixture.tracker.track(event: name) }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        try fixture.tracker.initialize(apiKey: "k2", endpoint: other.url + "/new", options: options)
        for name in ["C", "D"] { fixture.tracker.track(event: name) }
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(other.events.map { $0["name"] } == [nil, "A", "B", "C", "D"])
        #expect(other.events.allSatisfy { $0["userId"] == "u1" })
        #expect(other.server.requests.allSatisfy { $0.target == "/new" && $0.header("X-API-Key") == "k2" })
        #expect(fixture.tracker.info("endpoint") == .string(other.url + "/new"))
    }

    @Test("goes to the endpoint with a slash at its end, and to the one without: a server may tell them apart")
    func slash() async throws {
        let fixture = try BasicFixture { .status($0.target == "/in/" ? 200 : 503) }
        let (endpoint, options) = (fixture.backend.url + "/in", fixture.patientOptions)
        try fixture.tracker.initialize(apiKey: "k", endpoint: endpoint, options: options)
        fixture.tracker.track(event: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 1)

        try fixture.tracker.initialize(apiKey: "k", endpoint: endpoint + "/", options: options)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.server.requests.map(\.target) == ["/in", "/in/"])
        await fixture.tracker.shutdown()
    }

    @Test("takes what a wrong endpoint has refused along: it is listed, and a retry goes to the right one")
    func refusedAtNewEndpoint() async throws {
        let fixture = try BasicFixture { .status($0.target == "/right" ? 200 : 404) }
        try fixture.start(path: "/wrong")
        for name in ["A", "B"] { fixture.tracker.track(event: name) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        try fixture.start(path: "/right")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(try fixture.tracker.refused().count == 2)
        #expect(try await fixture.tracker.retryRefused() == 2)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        let taken = fixture.backend.server.requests.filter { $0.target == "/right" }.flatMap(\.events)
        #expect(taken.map { $0["name"] } == ["A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("knows the ids of what is queued at the new endpoint too", arguments: [true, false])
    func callerKeys(inMemory: Bool) async throws {
        let (fixture, other, options) = try Self.withoutServer(inMemory: inMemory)
        let id: CallerKey = "order-1"
        try fixture.tracker.initialize(apiKey: "k", endpoint: fixture.backend.url, options: options)
        _ = await fixture.tracker.track(event: "A", messageId: id).outcome
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        try fixture.tracker.initialize(apiKey: "k", endpoint: other.url, options: options)
        #expect(await fixture.tracker.track(event: "A", messageId: id).outcome.isQueued)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(other.events.map { $0["name"] } == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("waits for the request under way, and does not send its events again", arguments: [true, false])
    func waitsForRequest(inMemory: Bool) async throws {
        let gate = try Gate()
        let fixture = try BasicFixture(inMemory ? .memory : .disk) { _ in .gated(gate, .status(200)) }
        try fixture.start(path: "/old")
        fixture.tracker.track(event: "A")
        try await fixture.backend.server.requests(atLeast: 1)

        try fixture.start(path: "/new")
        let later = fixture.tracker.track(event: "B")
        gate.open()
        _ = await later.outcome
        while fixture.tracker.queueLength > 0 { _ = await fixture.tracker.flush(timeout: .seconds(60)) }

        #expect(fixture.backend.events.map { $0["name"] } == ["A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("takes along what a smaller queue in memory would have no room for")
    func smallerQueue() async throws {
        let fixture = try BasicFixture(.memory)
        try fixture.startOffline()
        for name in ["A", "B", "C"] { _ = await fixture.tracker.track(event: name).outcome }
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        fixture.backend.answer { _ in .status(200) }
        var options = fixture.options
        options.maxQueuedEvents = 1
        options.overflow = .refuseNew

        try fixture.tracker.initialize(apiKey: "k", endpoint: fixture.backend.url + "/new", options: options)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.server.requests.filter { $0.target == "/new" }.flatMap(\.events).count == 3)
        await fixture.tracker.shutdown()
    }

    @Test("may be called again and again without waiting: the last one counts, and nothing is lost")
    func rapid() async throws {
        let fixture = try BasicFixture()
        for number in 0..<6 {
            try fixture.start(apiKey: "key-\(number)", path: "/e\(number)")
            fixture.tracker.track(event: "E\(number)")
        }
        try fixture.start(apiKey: "last", path: "/last")

        fixture.tracker.track(event: "Last")
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        while fixture.tracker.queueLength > 0 { _ = await fixture.tracker.flush(timeout: .seconds(60)) }

        #expect(Set(fixture.backend.events.map { $0["name"]?.stringValue }) == Set((0..<6).map { "E\($0)" } + ["Last"]))
        #expect(fixture.tracker.info("endpoint") == .string(fixture.backend.url + "/last"))
    }

    @Test("leaves no flush behind, however often the tracker is set up while its lane is opened")
    func flushWhileOpening() async throws {
        let fixture = try BasicFixture()
        try fixture.start(apiKey: "first")
        try fixture.start(apiKey: "second")
        fixture.tracker.track(event: "A")

        let report = try await withGuard("the flush") { await fixture.tracker.flush(timeout: .seconds(60)) }

        #expect(report.remaining == 0)
        #expect(fixture.backend.server.requests.last?.header("X-API-Key") == "second")
        await fixture.tracker.shutdown()
    }

    @Test("a flush ends in its time though the disk stalls while the lane is opened")
    func flushInTime() async throws {
        let first = try BasicFixture()
        try first.start()
        _ = await first.tracker.track(event: "A").outcome
        await first.tracker.shutdown(timeout: .seconds(60))
        let lock = try LockedFile(first.directory.path("state/writer.lock"))
        let fixture = first.restarted()

        try fixture.start()
        fixture.tracker.track(event: "B")
        let report = try await withGuard("the flush") { await fixture.tracker.flush(timeout: .milliseconds(100)) }
        lock.unlock()
        let end = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .timeout)
        #expect(end.remaining == 0)
        #expect(fixture.backend.events.last?["name"] == "B")
        await fixture.tracker.shutdown()
    }

    @Test("what the server says of the old key, late, does not halt the new one", arguments: [401, 403])
    func lateRefusal(status: Int) async throws {
        let gate = try Gate()
        let fixture = try BasicFixture()
        fixture.backend.answer { request in
            request.header("X-API-Key") == "bad" ? .gated(gate, .status(status)) : .status(200)
        }
        try fixture.start(apiKey: "bad")
        fixture.tracker.track(event: "A")
        try await fixture.backend.server.requests(atLeast: 1)

        try fixture.start(apiKey: "good")
        gate.open()
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(fixture.tracker.info("lifecycle") == "ready")
        #expect(fixture.backend.server.requests.map { $0.header("X-API-Key") } == ["bad", "good"])
        await fixture.tracker.shutdown()
    }

    @Test("a group whose answer was lost goes again under its key, with the new credentials")
    func keepsGroups() async throws {
        let fixture = try BasicFixture()
        fixture.backend.answer { _ in .status(503) }
        try fixture.tracker.initialize(
            apiKey: "old", endpoint: fixture.backend.url + "/events", options: fixture.patientOptions)
        fixture.tracker.track(event: "A")
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        fixture.tracker.track(event: "B")

        fixture.backend.answer { _ in .status(200) }
        try fixture.tracker.initialize(
            apiKey: "new", endpoint: fixture.backend.url + "/events", options: fixture.patientOptions)
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let keys = fixture.backend.server.requests.map { $0.header("Idempotency-Key") }
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
        #expect(fixture.backend.events.map { $0["name"] } == ["A", "A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("may change the bound of the queue")
    func queueSize() async throws {
        let fixture = try BasicFixture()
        try fixture.startOffline(maxQueueSize: 10)
        for number in 0..<10 { _ = await fixture.tracker.track(event: "E\(number)").outcome }

        try fixture.startOffline(maxQueueSize: 3)
        _ = await fixture.tracker.track(event: "Last").outcome

        #expect(fixture.tracker.info("maxQueueSize") == 3)
        #expect(fixture.tracker.queueLength == 3)
        let delivered = await fixture.goOnline()
        #expect(delivered.suffix(3).map { $0["name"] } == ["E8", "E9", "Last"])
    }

    @Test("after a shutdown starts afresh")
    func afterShutdown() async throws {
        let fixture = try BasicFixture()
        try fixture.start()
        fixture.tracker.identify(userId: "u1")
        await fixture.tracker.shutdown(timeout: .seconds(60))

        try fixture.start()
        fixture.tracker.track(event: "A")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.last?["name"] == "A")
        #expect(fixture.backend.events.last?["userId"] == nil)
    }
}
