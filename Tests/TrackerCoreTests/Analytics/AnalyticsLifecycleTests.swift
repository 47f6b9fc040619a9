import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("The life of an analytics client")
struct AnalyticsLifecycleTests {
    @Test("its debug information has its options in every state once it was given some")
    func debugInfoOptions() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.client.initializeAndWait(
            with: InitOptions(writeKey: "key-12345678", ingestionHost: "nowhere", flushIntervalSeconds: 7))

        #expect(fixture.client.info("lifecycle") == "disabled")
        #expect(fixture.client.info("writeKey") == "****5678")
        #expect(fixture.client.info("ingestionHost") == "nowhere")
        #expect(fixture.client.info("flushIntervalSeconds") == 7)
        await fixture.start()
        await fixture.client.resetAndWait()
        #expect(fixture.client.info("lifecycle") == "idle")
        #expect(fixture.client.info("config", "flushAt") == 20)
        await fixture.client.shutdown()
        #expect(fixture.client.info("config", "flushAt") == 20)
    }

    @Test("calls made before it is ready are replayed in order")
    func proxy() async throws {
        let fixture = try AnalyticsFixture()

        fixture.client.initialize(with: fixture.options())
        for number in 0..<100 { fixture.client.track("E\(number)") }
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.names == (0..<100).map { "E\($0)" })
    }

    @Test("calls made before initialize are held as well")
    func heldWhileIdle() async throws {
        let fixture = try AnalyticsFixture()

        let held = fixture.client.track("Early")
        #expect(fixture.client.info("lifecycle") == "idle")
        #expect(fixture.client.info("queueLength") == 1)
        await fixture.start()
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(await held.outcome.messageID != nil)
        #expect(fixture.names == ["Early"])
    }

    @Test("calls from many tasks keep each task's order")
    func orderOfTasks() async throws {
        let fixture = try AnalyticsFixture()
        fixture.client.initialize(with: fixture.options())

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 { fixture.client.track("\(task)", properties: ["n": JSONValue(number)]) }
                }
            }
        }
        _ = await fixture.client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.count == 800)
        for task in 0..<8 {
            let numbers = events.filter { $0["event"] == .string("\(task)") }.compactMap {
                $0["properties"]?["n"]?.intValue
            }
            #expect(numbers == Array(0..<100))
        }
    }

    @Test("a second initialize while it is ready changes nothing")
    func initializeTwice() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let id = fixture.client.info("anonymousId")

        await fixture.start(fixture.options(writeKey: "other-key"))

        #expect(fixture.client.info("anonymousId") == id)
        #expect(fixture.client.info("writeKey") == "****1234")
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("warning:") && $0.contains("Already initialized") })
    }

    @Test("a second initialize whose options are not valid says so, and the client goes on as it is")
    func initializeWrongly() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        var options = fixture.options()
        options.ingestionHost = "ftp://in.example.com"

        let result = await withCheckedContinuation { [options] continuation in
            fixture.client.initialize(with: options) { continuation.resume(returning: $0) }
        }

        let error = #expect(throws: TrackerError.self) { try result.get() }
        #expect(error?.code == .invalidConfiguration)
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("error:") && $0.contains("'ingestionHost'") })
        #expect(fixture.client.info("lifecycle") == "ready")
        #expect(fixture.client.info("ingestionHost") == .string(fixture.backend.url))
        #expect(await fixture.client.track("A").outcome.messageID != nil)
        await fixture.client.shutdown()
    }

    @Test("a second initialize while the first is under way returns once that is ready")
    func initializeMeanwhile() async throws {
        let fixture = try AnalyticsFixture()

        fixture.client.initialize(with: fixture.options())
        await fixture.client.initializeAndWait(with: fixture.options())

        #expect(fixture.client.info("lifecycle") == "ready")
        #expect(!fixture.log.lines.all.contains { $0.contains("Already initialized") })
        await fixture.client.shutdown()
    }

    @Test("a call of a disabled client is dropped as disabled, even if its name is blank")
    func disabledBeforeName() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.client.initializeAndWait(with: InitOptions(writeKey: "k", ingestionHost: "nowhere"))

        #expect(await fixture.client.track(" ").outcome == .dropped(.disabled))
        #expect(fixture.client.info("refused", "INVALID_EVENT_NAME") == nil)
    }

    @Test(
        "invalid options disable it, and the debug info says why",
        arguments: [
            ("writeKey", InitOptions(writeKey: " ", ingestionHost: "https://in.example.com")),
            ("writeKey", InitOptions(writeKey: "a\nb", ingestionHost: "https://in.example.com")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "in.example.com")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "http://in.example.com")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "https://in.example.com?a=b")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "https://in.example.com/v1/batch")),
            ("ingestionHost", InitOptions(writeKey: "k", ingestionHost: "https://in.example.com/base/v1/batch/")),
            ("flushIntervalSeconds", InitOptions(writeKey: "k", ingestionHost: "https://a.b", flushIntervalSeconds: 0)),
            ("maxQueueEvents", InitOptions(writeKey: "k", ingestionHost: "https://a.b", maxQueueEvents: 0)),
            ("flushAt", InitOptions(writeKey: "k", ingestionHost: "https://a.b", flushAt: -1)),
            ("maxBatchSize", InitOptions(writeKey: "k", ingestionHost: "https://a.b", maxBatchSize: 0)),
            ("maxBatchBytes", InitOptions(writeKey: "k", ingestionHost: "https://a.b", maxBatchBytes: 0)),
            ("requestTimeout", InitOptions(writeKey: "k", ingestionHost: "https://a.b", requestTimeout: .zero)),
            (
                "jitter",
                InitOptions(writeKey: "k", ingestionHost: "https://a.b", delivery: DeliveryOptions(jitter: 2))
            ),
        ])
    func invalidOptions(field: String, options: InitOptions) async throws {
        let fixture = try AnalyticsFixture()

        #expect(throws: TrackerError.self) { try options.validate() }
        let early = fixture.client.track("Early")
        await fixture.start(options)
        let late = fixture.client.track("Late")

        #expect(fixture.client.info("lifecycle") == "disabled")
        #expect(fixture.client.info("disabledBecause")?.stringValue?.contains("'\(field)'") == true)
        #expect(fixture.client.info("lastError", "message")?.stringValue?.contains("'\(field)'") == true)
        #expect(await early.outcome == .dropped(.disabled))
        #expect(await late.outcome == .dropped(.disabled))
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("error:") && $0.contains("'\(field)'") })

        await fixture.start()
        #expect(fixture.client.info("lifecycle") == "ready")
    }

    @Test("options that fail are reported by completion")
    func initializeFailure() async throws {
        let fixture = try AnalyticsFixture()
        let result = await withCheckedContinuation { continuation in
            fixture.client.initialize(with: InitOptions(writeKey: "", ingestionHost: "")) {
                continuation.resume(returning: $0)
            }
        }

        let error = #expect(throws: TrackerError.self) { try result.get() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("a state folder that cannot be used disables it until initialize finds one that can")
    func storageFailure() async throws {
        let fixture = try AnalyticsFixture()
        let broken = fixture.options { $0.storageDirectory = "/dev/null/state" }

        await fixture.start(broken)
        let refused = await fixture.client.track("A").outcome
        #expect(fixture.client.info("lifecycle") == "disabled")
        await fixture.start()
        let accepted = await fixture.client.track("B").outcome

        #expect(refused == .dropped(.storage))
        #expect(accepted.messageID != nil)
    }

    @Test("a flush before initialize counts the calls that are held, and without any names no reason")
    func flushWhileIdle() async throws {
        let fixture = try AnalyticsFixture()
        let empty = await fixture.client.flush(timeout: .seconds(60))
        fixture.client.track("A")
        fixture.client.track("B")

        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(empty == FlushReport(delivered: 0, remaining: 0))
        #expect(report == FlushReport(delivered: 0, remaining: 2, stoppedBy: .notInitialized))
        await fixture.client.shutdown()
    }

    @Test("shutdown refuses what is held and what comes later, and may be called twice")
    func shutdown() async throws {
        let fixture = try AnalyticsFixture()
        let held = fixture.client.track("Held")

        await fixture.client.shutdown()
        await fixture.client.shutdown()
        let late = fixture.client.track("Late")

        #expect(await held.outcome == .dropped(.notInitialized))
        #expect(await late.outcome == .dropped(.notInitialized))
    }

    @Test("a client that is released answers the calls that it held")
    func letGo() async throws {
        let reports = Recorder<FlushReport>()
        let receipt = Self.callAndForget(reports)

        let outcome = try await withGuard("the outcome") { await receipt.outcome }

        #expect(outcome == .dropped(.notInitialized))
        #expect(
            try await reports.values(atLeast: 1)[0]
                == FlushReport(delivered: 0, remaining: 1, stoppedBy: .notInitialized))
    }

    /// Makes a client, and releases it before initialize, with a call and a flush waiting.
    private static func callAndForget(_ reports: Recorder<FlushReport>) -> CallReceipt {
        let client = AnalyticsClient(log: RecordingLog())
        client.reset(messageID: nil) { _ in }
        let receipt = client.track("A")
        client.control.flush(timeout: .seconds(60)) { reports.record($0) }
        return receipt
    }

    @Test("a flush that waits for the client to be set up counts what it finds, and leaves no timer")
    func flushWhileInitializing() async throws {
        let clocked = try ClockedAnalytics { _ in .nothing(then: .stall) }
        clocked.client.initialize(with: clocked.fixture.options())
        let receipt = clocked.client.track("A")
        let reports = Recorder<FlushReport>()
        clocked.client.control.flush(timeout: .seconds(60)) { reports.record($0) }
        _ = await receipt.outcome
        try await clocked.server.requests(atLeast: 1)

        try clocked.loop.advance(by: .seconds(60))
        #expect(
            try await reports.values(atLeast: 1) == [FlushReport(delivered: 0, remaining: 1, stoppedBy: .timeout)])
        #expect(try clocked.loop.pending.isEmpty)
        await clocked.client.shutdown(timeout: .zero)
    }

    @Test("a flush while a reset waits for a stalled disk ends in its time")
    func flushWhileResetting() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        _ = await fixture.client.track("A").outcome
        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))
        let done = Recorder<Bool>()
        fixture.client.reset(messageID: nil) { _ in done.record(true) }

        let report = try await withGuard("the flush") { await fixture.client.flush(timeout: .milliseconds(200)) }
        lock.unlock()
        try await done.values(atLeast: 1)

        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .timeout))
        await fixture.client.shutdown()
    }

    @Test("a flush while a lane closes on a stalled disk ends in its time, or when its task is cancelled")
    func flushWhileClosing() async throws {
        let faults = OutboxFaults()
        let (fixture, client) = try Self.faulty(faults)
        await client.initializeAndWait(with: fixture.options())
        let outbox = try #require(client.runtime.lane?.outbox)
        faults.stall()
        let done = Recorder<Bool>()
        client.reset(messageID: nil) { _ in done.record(true) }
        await withCheckedContinuation { written in outbox.stage(.barrier) { _ in written.resume() } }
        client.track("A")
        client.track("B")

        async let second = client.flush(timeout: .milliseconds(60))
        let first = try await withGuard("the flush") { await client.flush(timeout: .milliseconds(30)) }
        let waiting = Task { await client.flush(timeout: .seconds(3600)) }
        waiting.cancel()
        let cancelled = try await withGuard("the cancelled flush") { await waiting.value }
        let others = await [second, cancelled]
        let resetting = Task { await client.resetAndWait() }
        resetting.cancel()
        try await withGuard("the cancelled wait") { await resetting.value }
        #expect(done.all.isEmpty)
        faults.goOn()
        try await done.values(atLeast: 1)

        #expect(first == FlushReport(delivered: 0, remaining: 2, stoppedBy: .timeout))
        #expect(others == [first, first])
        await client.shutdown()
    }

    @Test("a reset that the disk refuses holds over a halt and the next initialize", arguments: [true, false])
    func resetRefusedByDisk(isStillFull: Bool) async throws {
        let faults = OutboxFaults()
        let (fixture, client) = try Self.faulty(faults)
        fixture.backend.answer { _ in .status(401) }
        await client.initializeAndWait(with: fixture.options())
        client.identify("left")
        client.track("A")
        _ = await client.flush(timeout: .seconds(60))
        try faults.refuseWrites(true)
        await client.resetAndWait()
        fixture.backend.answer { _ in .status(200) }

        if !isStillFull { try faults.refuseWrites(false) }
        let seen = fixture.backend.server.requests.count
        await client.initializeAndWait(with: fixture.options())
        if isStillFull {
            #expect(await client.track("B").outcome == .dropped(.storage))
            #expect(await client.flush(timeout: .milliseconds(50)).delivered == 0)
            #expect(fixture.backend.server.requests.count == seen)
            try faults.refuseWrites(false)
        }
        try await withGuard("the disk") {
            while await client.track("C").outcome.messageID == nil { try Task.checkCancellation() }
        }
        _ = await client.flush(timeout: .seconds(60))

        #expect(fixture.backend.server.requests.dropFirst(seen).flatMap(\.events).map { $0["event"] } == ["C"])
        #expect(fixture.backend.events.last?["userId"] == nil)
        #expect(client.isBalanced)
        await client.shutdown()
    }

    @Test("cancelling a task that waits for initialize ends the wait, and the client is set up all the same")
    func cancelledInitialize() async throws {
        let faults = OutboxFaults()
        let (fixture, client) = try Self.faulty(faults)
        faults.stall()

        let task = Task { await client.initializeAndWait(with: fixture.options()) }
        task.cancel()
        try await withGuard("the end of the wait") { await task.value }
        #expect(client.info("lifecycle") == "initializing")
        faults.goOn()
        client.track("A")
        let report = try await withGuard("the flush") { await client.flush(timeout: .seconds(60)) }

        #expect(report == FlushReport(delivered: 1, remaining: 0))
        #expect(fixture.names == ["A"])
        await client.shutdown()
    }

    /// A client whose outboxes `faults` steers.
    private static func faulty(_ faults: OutboxFaults) throws -> (AnalyticsFixture, AnalyticsClient) {
        let fixture = try AnalyticsFixture()
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.makeOutbox = faults.outbox
        return (fixture, AnalyticsClient(dependencies: dependencies))
    }

    @Test("diagnostics end with shutdown, in any state, and begin again")
    func diagnosticsEnd() async throws {
        let fixture = try AnalyticsFixture()
        var idle = fixture.client.diagnostics.makeAsyncIterator()
        await fixture.client.shutdown()
        #expect(await idle.next() == nil)

        await fixture.start()
        var ready = fixture.client.diagnostics.makeAsyncIterator()
        _ = await fixture.client.track("").outcome
        #expect(await ready.next() == .refused(call: "track", .invalidEventName))
        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))
        await fixture.client.shutdown(timeout: .milliseconds(100))
        lock.unlock()
        #expect(await ready.next() == nil)
    }

    @Test("shutdown sends what is queued, and what it cannot send waits for the next start", arguments: [200, 503])
    func shutdownFlushes(status: Int) async throws {
        let fixture = try AnalyticsFixture { _ in .status(status) }
        await fixture.start()

        fixture.client.track("A")
        await fixture.client.shutdown(timeout: .seconds(60))
        #expect(fixture.names.first == "A")
        fixture.backend.answer { _ in .status(200) }
        let next = fixture.restarted()
        await next.start()
        _ = await next.client.flush(timeout: .seconds(60))

        let delivered = fixture.backend.server.requests.last?.events.map { $0["event"] }
        #expect(delivered == ["A"])
        #expect(next.client.info("account", "recovered") == (status == 200 ? 0 : 1))
        #expect(next.client.info("queueLength") == 0)
    }

    @Test("the debug info of a client that could not start masks the password in its address")
    func debugInfoOfRefused() async throws {
        let fixture = try AnalyticsFixture { _ in .status(200) }
        var options = fixture.options()
        options.ingestionHost = "https://user:secret-word@in.example.com"
        await fixture.start(options)

        let host = fixture.client.debugInfo()["ingestionHost"]?.stringValue

        #expect(host == "https://user:****word@in.example.com")
        await fixture.client.shutdown()
    }

    @Test("the debug info has the documented keys, and masks the write key")
    func debugInfo() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start(
            fixture.options(flushAt: 1) {
                $0.retryDelay = .seconds(60); $0.cooldown = .seconds(60); $0.maxCooldown = .seconds(60)
            })
        fixture.client.identify("u1")
        fixture.client.group("g1")
        _ = await fixture.client.flush(timeout: .seconds(60))

        let info = await fixture.client.getDebugInfo()

        #expect(info["lifecycle"] == "ready")
        #expect(info["queueLength"] == 2)
        #expect(info["writeKey"] == "****1234")
        #expect(info["ingestionHost"] == .string(fixture.backend.url))
        #expect(info["flushIntervalSeconds"] == 3600)
        #expect(info["maxQueueEvents"] == 2000)
        #expect(info["circuitState"] == "closed")
        #expect((info["circuitRemainingMs"]?.intValue ?? 0) > 0)
        #expect(info["flushInFlight"] == false)
        #expect(info["anonymousId"]?.stringValue?.count == 36)
        #expect(info["userId"] == "u1")
        #expect(info["groupId"] == "g1")
        #expect(info["lastError"]?["message"]?.stringValue?.contains("503") == true)
        #expect(!info.description.contains("wk-test"))
    }

    @Test("debug messages come once they are enabled")
    func debugLogging() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        fixture.client.track("Silent")
        _ = await fixture.client.flush(timeout: .seconds(60))

        fixture.client.enableDebugLogging()
        fixture.client.track("Loud")
        fixture.client.identify("u1")
        _ = await fixture.client.flush(timeout: .seconds(60))

        let lines = fixture.log.lines.all.filter { $0.hasPrefix("debug:") }
        #expect(lines == ["debug: Event tracked: Loud", "debug: Event tracked: identify"])
    }
}
