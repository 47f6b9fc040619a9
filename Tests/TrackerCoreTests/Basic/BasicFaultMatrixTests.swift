import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What the basic tracker does with an answer")
struct BasicFaultMatrixTests {
    static let faults =
        BatchFault.common + [401, 403].map(BatchFault.halted) + [404, 410].map { BatchFault.refused($0) }

    @Test("to a batch, by status and fault, whatever the breaker", arguments: faults, Circuit.allCases)
    func batch(fault: BatchFault, circuit: Circuit) async throws {
        let server = try BatchFaultServer(fault, circuit) { $0["name"]?.stringValue }
        let first = try Gate()
        let fixture = try BasicFixture { request in
            request.number == 0 ? .gated(first, server.answer(request)) : server.answer(request)
        }
        var options = fixture.patientOptions
        options.failureThreshold = circuit == .halfOpen ? 1 : 3
        options.compression = .none
        let tracker = fixture.tracker
        try tracker.initialize(apiKey: "key-1234", endpoint: fixture.backend.url + "/events", options: options)
        // What is tracked while a request is under way travels together after it.
        tracker.track(event: "0")
        try await fixture.backend.server.requests(atLeast: 1)
        for name in ["A", "B", "C"] { _ = await tracker.track(event: name).outcome }
        first.open()
        try await server.batches.values(atLeast: 1)
        _ = await tracker.track(event: "D").outcome
        server.gate.open()
        if circuit == .halfOpen {
            #expect(await tracker.flush(timeout: .seconds(60)).stoppedBy == .breakerOpen)
            #expect(tracker.info("circuitState") == "open")
            tracker.networkDidChange()
        }

        // After a change of the network the connection is a new one.
        let isRetried = fault.isRetried || fault.isCut && circuit == .halfOpen
        var report = await tracker.flush(timeout: .seconds(60))
        let isHalted = fault.lifecycle == "halted"
        #expect(report.stoppedBy == (isHalted ? .halted : isRetried ? circuit.wait : nil))
        #expect(tracker.info("circuitState") == (isRetried && circuit == .halfOpen ? "open" : "closed"))
        while report.stoppedBy == circuit.wait {
            tracker.networkDidChange()
            report = await tracker.flush(timeout: .seconds(60))
        }

        #expect(server.batches.all.map(\.names) == Array(repeating: "ABC", count: circuit.failures) + fault.batches)
        #expect(server.hasOneKeyEach)
        #expect(tracker.info("account", "dropped") == fault.dropped)
        #expect(tracker.queueLength == (isHalted ? 4 : 0))
        #expect(tracker.info("lifecycle")?.stringValue == fault.lifecycle)
        #expect(tracker.isBalanced)
        await tracker.shutdown(timeout: .zero)
    }
}

extension BasicTracker {
    /// Whether everything that was accepted is accounted for.
    fileprivate var isBalanced: Bool {
        guard case .object(let account)? = info("account") else { return false }
        let dropped = account["dropped"]?.objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0
        let term = { (name: String) in account[name]?.intValue ?? 0 }
        return term("accepted") + term("recovered") + term("requeued") == term("delivered") + term("queued") + dropped
    }
}
