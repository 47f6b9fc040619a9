import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The report of a drop")
struct DropReportTests {
    /// Why a session tracker drops records.
    enum Cause: CaseIterable {
        case evicted, expired, tooLarge, rejected, reset, resetAll, consent, sessionGone

        var reason: DropReason {
            switch self {
            case .evicted: .evicted
            case .expired: .expired
            case .tooLarge: .tooLarge
            case .rejected: .rejected(422)
            case .reset, .resetAll: .reset
            case .consent: .consent
            case .sessionGone: .sessionGone
            }
        }

        /// The events that go.
        var victims: [String] {
            switch self {
            case .evicted, .tooLarge, .rejected, .sessionGone: ["A"]
            case .expired, .reset, .resetAll, .consent: ["A", "B", "C"]
            }
        }

        func answer(_ request: LoopbackRequest) -> LoopbackAnswer? {
            guard request.isEvent else { return nil }
            return switch self {
            case .evicted, .expired, .resetAll: .status(503)
            case .tooLarge: request.text.contains("\"A\"") ? .status(413) : nil
            case .rejected: request.text.contains("\"A\"") ? .status(422) : nil
            case .sessionGone: request.text.contains("\"A\"") ? .status(404) : nil
            case .reset, .consent: nil
            }
        }

        func config(_ fixture: SessionFixture) -> TrackerConfig {
            var config = fixture.patientConfig
            switch self {
            case .evicted:
                config.delivery.maxQueuedEvents = 3
                config.delivery.overflow = .dropOldest
            case .expired: config.delivery.eventTTL = .seconds(3600)
            case .reset, .consent: config.consent = .pending
            case .tooLarge, .rejected, .resetAll, .sessionGone: break
            }
            return config
        }

        /// Does what drops the events A, B and C, or A of them.
        func happen(to tracker: MobileTracker) async {
            switch self {
            case .evicted: await tracker.track(eventName: "D", messageId: "D")
            case .reset: await tracker.resetAndWait()
            case .resetAll: await tracker.resetAndWait(all: true)
            case .consent: await tracker.setConsent(.denied)
            case .expired, .tooLarge, .rejected, .sessionGone: break
            }
        }
    }

    private func drops(_ heard: Recorder<Diagnostic>) -> [(ids: [String], count: Int, reason: DropReason)] {
        heard.all.compactMap { diagnostic in
            guard case .dropped(let ids, let count, let reason) = diagnostic else { return nil }
            return (ids.map(\.text), count, reason)
        }
    }

    private func restarted(_ fixture: SessionFixture) async throws -> SessionFixture {
        await fixture.tracker.shutdown(timeout: .zero)
        fixture.clock.advance(by: .seconds(7200))
        return fixture.restarted()
    }

    @Test("names each record once, with the reason, and the books say the same", arguments: Cause.allCases)
    func once(cause: Cause) async throws {
        var fixture = try SessionFixture { cause.answer($0) }
        let heard = Recorder<Diagnostic>()
        fixture.tracker.control.observe { heard.record($0) }
        let config = cause.config(fixture)
        try await fixture.start(config)
        for name in ["A", "B", "C"] { await fixture.tracker.track(eventName: name, messageId: CallerKey(name)) }
        if cause == .expired {
            fixture = try await restarted(fixture)
            fixture.tracker.control.observe { heard.record($0) }
            try await fixture.start(config)
        }

        await cause.happen(to: fixture.tracker)
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let drops = drops(heard)
        #expect(drops.flatMap(\.ids) == cause.victims)
        #expect(drops.map(\.count).reduce(0, +) == cause.victims.count)
        #expect(Set(drops.map(\.reason)) == [cause.reason])
        // The drops of one change are reported together; expired records are found one after the other.
        #expect((cause == .expired ? 1...3 : 1...1).contains(drops.count))
        #expect(fixture.tracker.dropped == .object([cause.reason.description: JSONValue(cause.victims.count)]))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("is not told again when the server refuses what has been evicted meanwhile", arguments: [422, 413])
    func evictedOnTheWire(status: Int) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            request.text.contains("\"A\"") && request.isEvent ? .gated(gate, .status(status)) : nil
        }
        let heard = Recorder<Diagnostic>()
        fixture.tracker.control.observe { heard.record($0) }
        try await fixture.start(
            fixture.config {
                $0.delivery.maxQueuedEvents = 3
                $0.delivery.overflow = .dropOldest
            })
        await fixture.tracker.track(eventName: "A", messageId: "A")
        try await fixture.backend.server.requests(atLeast: 2)

        for name in ["B", "C", "D"] { await fixture.tracker.track(eventName: name, messageId: CallerKey(name)) }
        gate.open()
        await fixture.drain()

        let drops = drops(heard)
        #expect(drops.flatMap(\.ids) == ["A"])
        #expect(drops.map(\.reason) == [.evicted])
        #expect(fixture.names == ["A", "B", "C", "D"])
        #expect(fixture.tracker.dropped == ["evicted": 1])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("of an analytics client that the server disables, or that is reset", arguments: [401, 404, nil])
    func analytics(status: Int?) async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(status ?? 503)) }
        let heard = Recorder<Diagnostic>()
        fixture.client.control.observe { if case .dropped = $0 { heard.record($0) } }
        await fixture.start(
            fixture.options(flushAt: 2, whenRefused: .disable) {
                $0.retryDelay = .seconds(3600); $0.cooldown = .seconds(3600); $0.maxCooldown = .seconds(3600)
            })
        for name in ["A", "B", "C"] { _ = await fixture.client.track(name, messageId: CallerKey(name)).outcome }

        if status == nil { await fixture.client.resetAndWait() }
        gate.open()
        if status != nil { _ = await fixture.client.flush(timeout: .seconds(60)) }

        // A flush that comes after the refusal does not wait for the drop.
        try await heard.values(atLeast: 1)
        let drops = drops(heard)
        let reason = status == nil ? DropReason.reset : .disabled
        try #require(drops.count == 1, "\(drops)")
        #expect(drops[0].ids == ["A", "B", "C"])
        #expect(drops[0].count == 3)
        #expect(drops[0].reason == reason)
        #expect(fixture.client.info("account", "dropped") == .object([reason.description: 3]))
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown(timeout: .zero)
    }
}
