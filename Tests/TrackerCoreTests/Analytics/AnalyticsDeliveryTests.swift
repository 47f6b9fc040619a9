import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("How an analytics client delivers")
struct AnalyticsDeliveryTests {
    @Test(
        "where the options say so, a refusal of the write key or the endpoint disables it and clears the queue",
        arguments: [401, 403, 404, 410])
    func disables(status: Int) async throws {
        let fixture = try AnalyticsFixture { _ in .status(status) }
        await fixture.start(fixture.options(whenRefused: .disable))
        for number in 0..<15 { _ = await fixture.client.track("E\(number)").outcome }

        let report = await fixture.client.flush(timeout: .seconds(60))
        let late = await fixture.client.track("Late").outcome
        let later = await fixture.client.flush(timeout: .seconds(60))

        #expect(report == FlushReport(delivered: 0, remaining: 15, stoppedBy: .halted))
        #expect(later == FlushReport(delivered: 0, remaining: 0))
        #expect(fixture.client.info("lifecycle") == "disabled")
        let option = [401, 403].contains(status) ? "refuses the key ('writeKey')" : "endpoint ('ingestionHost')"
        let cause = try #require(fixture.client.info("disabledBecause")?.stringValue)
        #expect(cause.contains("answered \(status): ") && cause.hasSuffix(option))
        let errors = fixture.log.lines.all.filter { $0.hasPrefix("error:") }
        #expect(errors.contains { $0.contains(cause) && $0.contains("restart the program, or reset the client") })
        #expect(errors.contains { $0.contains("15 queued events were dropped") }, "\(errors)")
        #expect(fixture.client.info("queueLength") == 0)
        #expect(fixture.client.info("account", "dropped", "disabled") == 15)
        #expect(fixture.client.info("circuitState") == "closed")
        #expect(fixture.client.isBalanced)
        #expect(late == .dropped(.disabled))
        #expect(fixture.backend.server.requests.count == 1)
    }

    @Test("queues nothing again of what was refused while the server has disabled it")
    func retriesNothingWhenDisabled() async throws {
        let fixture = try AnalyticsFixture { .status($0.number == 0 ? 422 : 401) }
        await fixture.start(fixture.options(whenRefused: .disable))
        _ = await fixture.client.track("A").outcome
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        _ = await fixture.client.track("B").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        #expect(fixture.client.info("lifecycle") == "disabled")

        #expect(try await fixture.client.retryRefused() == 0)

        _ = await fixture.client.flush(timeout: .seconds(60))
        #expect(fixture.client.info("queueLength") == 0)
        #expect(try fixture.client.refused().map(\.name) == ["A"])
        await fixture.client.shutdown()
    }

    @Test("shows whose its events are while a refusal halts it")
    func halted() async throws {
        let fixture = try AnalyticsFixture { _ in .status(401) }
        await fixture.start()
        let client = fixture.client
        client.identify("user-1")
        client.group("group-1")
        #expect(await client.flush(timeout: .seconds(60)).stoppedBy == .halted)

        #expect(client.info("lifecycle") == "halted")
        #expect(client.info("userId") == "user-1" && client.info("groupId") == "group-1")
        #expect(client.info("anonymousId")?.stringValue != nil)
        await client.shutdown()
    }

    @Test("a flush that the server's refusal ends counts what was delivered before and what was dropped")
    func disablesDuringFlush() async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { $0.text.contains("E5") ? .status(401) : .gated(gate, .status(200)) }
        await fixture.start(fixture.options(maxBatchSize: 5, whenRefused: .disable))
        for number in 0..<15 { _ = await fixture.client.track("E\(number)").outcome }
        try await fixture.backend.server.requests(atLeast: 1)
        let reports = Recorder<FlushReport>()
        fixture.client.control.flush(timeout: .seconds(60)) { reports.record($0) }
        // Once this is done the flush knows what it is about.
        await withCheckedContinuation { done in fixture.client.control.afterEarlierCalls { done.resume() } }

        gate.open()
        let report = try await reports.values(atLeast: 1)[0]

        #expect(report == FlushReport(delivered: 5, remaining: 10, stoppedBy: .halted))
        await withCheckedContinuation { done in fixture.client.control.afterEarlierCalls { done.resume() } }
        #expect(fixture.client.info("account", "dropped", "disabled") == 10)
        #expect(fixture.client.isBalanced)
    }

    @Test(
        "once the server has disabled it, initialize changes nothing, a reset or a restart does",
        arguments: [true, false])
    func enablesAgain(byReset: Bool) async throws {
        let fixture = try AnalyticsFixture { _ in .status(404) }
        await fixture.start(fixture.options(whenRefused: .disable))
        fixture.client.track("Lost")
        _ = await fixture.client.flush(timeout: .seconds(60))
        fixture.backend.answer { _ in .status(200) }

        await fixture.start()
        #expect(fixture.client.info("lifecycle") == "disabled")
        let next = byReset ? fixture : fixture.restarted()
        if byReset { await fixture.client.resetAndWait() } else { await fixture.client.shutdown() }
        await next.start()
        next.client.track("Found")
        _ = await next.client.flush(timeout: .seconds(60))

        #expect(next.client.info("lifecycle") == "ready")
        #expect(fixture.names.last == "Found")
    }

    @Test("what is called while the answer comes that disables it goes too, and is counted")
    func disabledMeanwhile() async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(401)) }
        await fixture.start(fixture.options(flushAt: 1, whenRefused: .disable))
        fixture.client.track("First")
        try await fixture.backend.server.requests(atLeast: 1)

        let receipts = (0..<200).map { number in
            if number == 50 { gate.open() }
            return fixture.client.track("E\(number)")
        }
        var accepted = 1
        for receipt in receipts where await receipt.outcome.messageID != nil { accepted += 1 }
        _ = await fixture.client.flush(timeout: .seconds(60))
        await withCheckedContinuation { done in fixture.client.control.afterEarlierCalls { done.resume() } }

        #expect(fixture.client.info("account", "dropped", "disabled") == JSONValue(accepted))
        #expect(fixture.client.info("queueLength") == 0)
        #expect(fixture.client.isBalanced)
    }

    @Test("only the refused records are dropped from a batch, whatever 4xx it is", arguments: [400, 422, 409])
    func bisects(status: Int) async throws {
        let fixture = try AnalyticsFixture { request in
            request.text.contains("wrong#") ? .status(status) : .status(200)
        }
        await fixture.start(fixture.options(flushAt: 1000))
        let wrong = [7, 8, 31]
        for number in 0..<40 { fixture.client.track(wrong.contains(number) ? "wrong#\(number)" : "good\(number)") }

        let report = await fixture.client.flush(timeout: .seconds(60))

        let delivered = fixture.backend.server.requests.filter { !$0.text.contains("wrong#") }.flatMap(\.events)
        #expect(report == FlushReport(delivered: 37, remaining: 0))
        #expect(
            delivered.compactMap { $0["event"]?.stringValue }
                == (0..<40).filter { !wrong.contains($0) }.map { "good\($0)" })
        #expect(fixture.client.info("account", "dropped", "rejected(\(status))") == 3)
        #expect(fixture.client.info("lifecycle") == "ready")
        #expect(fixture.backend.server.connections == 1)
    }

    @Test("a batch that is too large is halved, an event that is too large alone is dropped")
    func tooLarge() async throws {
        let fixture = try AnalyticsFixture { request in
            (request.decodedBody?.count ?? 0) > 4000 ? .status(413) : .status(200)
        }
        await fixture.start(fixture.options(flushAt: 1000))
        let filler = JSONValue.string(String(repeating: "x", count: 5000))
        for number in 0..<30 {
            fixture.client.track("E\(number)", properties: number == 12 ? ["filler": filler] : [:])
        }

        let report = await fixture.client.flush(timeout: .seconds(60))

        let delivered = fixture.backend.server.requests.filter { ($0.decodedBody?.count ?? 0) <= 4000 }.flatMap(
            \.events)
        #expect(report == FlushReport(delivered: 29, remaining: 0))
        #expect(delivered.compactMap { $0["event"]?.stringValue } == (0..<30).filter { $0 != 12 }.map { "E\($0)" })
        #expect(fixture.client.info("account", "dropped", "tooLarge") == 1)
    }

    @Test("a retried batch keeps its key and its events, with a new time of sending", arguments: [500, 503, 408, 429])
    func retries(status: Int) async throws {
        let fixture = try AnalyticsFixture()
        fixture.backend.answer { $0.number == 0 ? .status(status, retryAfter: "0") : .status(200) }
        await fixture.start(fixture.options(flushAt: 2))

        fixture.client.track("A")
        fixture.client.track("B")
        try await fixture.backend.server.requests(atLeast: 1)
        fixture.client.track("C")
        let requests = try await fixture.backend.server.requests(atLeast: 2)
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(requests[0].header("Idempotency-Key") == requests[1].header("Idempotency-Key"))
        #expect(requests[1].events.map { $0["event"] } == ["A", "B"])
        #expect(fixture.names == ["A", "B", "A", "B", "C"])
        #expect(fixture.client.info("account", "delivered") == 3)
    }

    @Test("past maxQueueEvents the oldest goes and is counted, also during an outage")
    func evicts() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        let slow = fixture.options(maxQueueEvents: 10) { options in
            options.retryDelay = .seconds(60)
            options.cooldown = .seconds(60)
            options.maxCooldown = .seconds(60)
        }
        await fixture.start(slow)
        fixture.client.track("First")
        _ = await fixture.client.flush(timeout: .seconds(60))

        for number in 0..<25 { fixture.client.track("E\(number)") }
        _ = await fixture.client.track("Last").outcome
        #expect(fixture.client.info("queueLength") == 10)
        #expect(fixture.client.info("account", "dropped", "evicted") == 17)
        fixture.backend.answer { _ in .status(200) }
        fixture.client.networkDidChange()
        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(fixture.client.isBalanced)
        let delivered = fixture.backend.server.requests.dropFirst().flatMap(\.events)
        #expect(delivered.compactMap { $0["event"]?.stringValue } == (16..<25).map { "E\($0)" } + ["Last"])
    }

    @Test("a batch whose answer was lost goes again under its key, also from a client with smaller batches")
    func smallerBatches() async throws {
        let first = try AnalyticsFixture { _ in .status(503) }
        let hour: (inout DeliveryOptions) -> Void = {
            ($0.retryDelay, $0.cooldown, $0.maxCooldown) = (.seconds(3600), .seconds(3600), .seconds(3600))
        }
        await first.start(first.options(maxBatchSize: 10, change: hour))
        for number in 0..<5 { first.client.track("E\(number)") }
        #expect(await first.client.flush(timeout: .seconds(60)).stoppedBy == .retryWait)
        await first.client.shutdown()
        first.backend.answer { _ in .status(200) }

        let second = first.restarted()
        await second.start(second.options(maxBatchSize: 2))
        second.client.track("Later")
        #expect(await second.client.flush(timeout: .seconds(60)).remaining == 0)

        let keys = first.backend.server.requests.map { $0.header("Idempotency-Key") }
        #expect(keys.count == 3)
        #expect(keys[0] == keys[1])
        #expect(first.backend.server.requests.map { $0.events.count } == [5, 5, 1])
        await second.client.shutdown()
    }

    @Test("large batches go as gzip")
    func compresses() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        for number in 0..<50 { fixture.client.track("E\(number)") }
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.backend.server.requests.contains { $0.header("Content-Encoding") == "gzip" })
        #expect(fixture.names.count == 50)
        let (before, after) = (
            fixture.client.info("bytesBeforeCompression"), fixture.client.info("bytesAfterCompression")
        )
        #expect((before?.intValue ?? 0) > 2 * (after?.intValue ?? .max / 4))
    }

    @Test("all of 20,000 events in a tight loop at default options are delivered, in order")
    func tightLoop() async throws {
        let fixture = try AnalyticsFixture()
        var options = InitOptions(writeKey: "wk", ingestionHost: fixture.backend.url)
        options.delivery.storageDirectory = fixture.directory.path("state")

        fixture.client.initialize(with: options)
        let receipts = (0..<20_000).map { fixture.client.track("E\($0)") }
        var queued: [String] = []
        for receipt in receipts { if let id = await receipt.outcome.messageID { queued.append(id.text) } }
        let report = await fixture.client.flush(timeout: .seconds(60))

        let delivered = fixture.backend.events.compactMap { $0["messageId"]?.stringValue }
        #expect(report.remaining == 0)
        #expect(fixture.client.isBalanced)
        #expect(queued.count == 20_000)
        #expect(delivered == queued)
    }
}
