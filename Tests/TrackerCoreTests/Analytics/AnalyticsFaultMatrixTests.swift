import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What an analytics client does with an answer")
struct AnalyticsFaultMatrixTests {
    static let faults = BatchFault.common + [401, 403, 404, 410].flatMap { [.halted($0), .disabled($0)] }

    @Test("to a batch, by status and fault, whatever the breaker", arguments: faults, Circuit.allCases)
    func batch(fault: BatchFault, circuit: Circuit) async throws {
        let server = try BatchFaultServer(fault, circuit) { $0["event"]?.stringValue }
        let fixture = try AnalyticsFixture { server.answer($0) }
        let options = fixture.options(
            maxBatchSize: 3, whenRefused: fault.lifecycle == "disabled" ? .disable : .halt
        ) {
            $0.failureThreshold = circuit == .halfOpen ? 1 : 3
            $0.retryDelay = .seconds(3600)
            $0.cooldown = .seconds(3600)
            $0.maxCooldown = .seconds(3600)
            $0.compression = .none
        }
        let client = fixture.client
        await fixture.start(options)
        client.track("0")
        #expect(await client.flush(timeout: .seconds(60)) == FlushReport(delivered: 1, remaining: 0))
        for name in ["A", "B", "C"] { client.track(name) }
        try await server.batches.values(atLeast: 1)
        _ = await client.track("D").outcome
        // D is due before the answer comes.
        client.flush()
        await withCheckedContinuation { continuation in client.control.afterEarlierCalls { continuation.resume() } }
        server.gate.open()
        if circuit == .halfOpen {
            #expect(await client.flush(timeout: .seconds(60)).stoppedBy == .breakerOpen)
            #expect(client.info("circuitState") == "open")
            client.networkDidChange()
        }

        // After a change of the network the connection is a new one.
        let isRetried = fault.isRetried || fault.isCut && circuit == .halfOpen
        var report = await client.flush(timeout: .seconds(60))
        // The refusal of a key may come before the flush, which then finds nothing, or during it.
        let reasons = isRetried ? [circuit.wait] : fault.lifecycle == "ready" ? [nil] : [.halted, nil]
        #expect(reasons.contains(report.stoppedBy))
        #expect(client.info("circuitState") == (isRetried && circuit == .halfOpen ? "open" : "closed"))
        while report.stoppedBy == circuit.wait {
            client.networkDidChange()
            report = await client.flush(timeout: .seconds(60))
        }

        // What a refused key drops is on disk then.
        await withCheckedContinuation { continuation in client.control.afterEarlierCalls { continuation.resume() } }
        #expect(server.batches.all.map(\.names) == Array(repeating: "ABC", count: circuit.failures) + fault.batches)
        #expect(server.hasOneKeyEach)
        #expect(client.info("account", "dropped") == fault.dropped)
        #expect(client.info("queueLength") == (fault.lifecycle == "halted" ? 4 : 0))
        #expect(client.info("lifecycle")?.stringValue == fault.lifecycle)
        #expect(client.isBalanced)
        await client.shutdown(timeout: .zero)
    }
}
