import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The diagnostics of what was delivered")
struct DeliveredTests {
    @Test("name each record that the server has taken, in order, to those who ask for it")
    func session() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        var diagnostics = fixture.tracker.diagnostics.withDeliveries.makeAsyncIterator()

        var ids: [MessageID] = []
        for name in ["A", "B", "C"] {
            ids.append(try #require(await fixture.tracker.track(eventName: name).messageID))
        }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        await fixture.tracker.shutdown()

        var delivered: [MessageID] = []
        while let diagnostic = await diagnostics.next() {
            if case .delivered(let some) = diagnostic { delivered += some }
        }
        #expect(delivered == ids)
    }

    @Test("name the records of a batch together")
    func batch() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        var diagnostics = fixture.client.diagnostics.withDeliveries.makeAsyncIterator()
        fixture.client.track("A", messageId: "m-1")
        fixture.client.track("B", messageId: "m-2")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(await diagnostics.next() == .delivered([.of("m-1"), .of("m-2")]))
    }

    @Test("come to nobody who has not asked, and cost nothing then")
    func notAsked() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        var diagnostics = fixture.client.diagnostics.makeAsyncIterator()
        #expect(!fixture.client.runtime.hub.wantsDeliveries)
        do {
            var asking = fixture.client.diagnostics.withDeliveries.makeAsyncIterator()
            #expect(fixture.client.runtime.hub.wantsDeliveries)
            fixture.client.track("A", messageId: "m-1")
            #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
            #expect(await asking.next() == .delivered([.of("m-1")]))
        }

        // The last that asked has gone: the next delivery finds nobody.
        fixture.client.track("B")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        #expect(!fixture.client.runtime.hub.wantsDeliveries)
        await fixture.client.shutdown()
        #expect(await diagnostics.next() == nil)
    }

    @Test("name a record that failed first, once: when it is taken")
    func retried() async throws {
        let fixture = try AnalyticsFixture()
        fixture.backend.answer { $0.number == 0 ? .status(503) : .status(200) }
        await fixture.start()
        var diagnostics = fixture.client.diagnostics.withDeliveries.makeAsyncIterator()
        fixture.client.track("A", messageId: "m-1")
        fixture.client.flush()

        var kinds: [String] = []
        while kinds.last != "delivered", let diagnostic = await diagnostics.next() {
            switch diagnostic {
            case .delivered(let ids): kinds.append(ids == [.of("m-1")] ? "delivered" : "others")
            case .retried: kinds.append("retried")
            default: break
            }
        }
        #expect(kinds == ["retried", "delivered"])
        await fixture.client.shutdown()
        while let diagnostic = await diagnostics.next() {
            if case .delivered = diagnostic { Issue.record("It was delivered a second time.") }
        }
    }
}
