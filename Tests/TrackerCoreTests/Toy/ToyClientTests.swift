import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// A client of four files, over a real database and a real server: what it gets from the runtime alone.
@Suite("A fourth client")
struct ToyClientTests {
    private let backend: Backend
    private let directory: TemporaryDirectory
    private let log = RecordingLog()
    private let client: ToyClient

    init() throws {
        backend = try Backend()
        directory = try TemporaryDirectory()
        client = ToyClient(dependencies: .system(log: log))
    }

    private var options: DeliveryOptions {
        DeliveryOptions(
            storageDirectory: directory.path("state"), retryDelay: .milliseconds(10), cooldown: .milliseconds(10),
            maxCooldown: .milliseconds(20))
    }

    @Test("delivers what it accepts, in order, also what was called before it was ready")
    func delivers() async throws {
        client.rate("A", stars: 5)
        try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
        client.rate("B", stars: 1)

        let report = await client.flush()

        #expect(report.remaining == 0 && report.stoppedBy == nil)
        #expect(backend.events.map { $0["product"] } == ["A", "B"])
        #expect(backend.events.map { $0["number"] } == ["1", "2"])
        await client.shutdown()
    }

    @Test("says why it refuses a call, counts it, and reports it")
    func refuses() async throws {
        try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
        var diagnostics = client.diagnostics.makeAsyncIterator()

        let outcomes = [
            await client.rate(" ", stars: 1).outcome, await client.rate("A", stars: 6).outcome,
            await client.rate("A", stars: 1, messageId: "").outcome,
        ]

        #expect(outcomes == [.dropped(.invalidEventName), .dropped(.invalidValue), .dropped(.invalidValue)])
        #expect(await diagnostics.next() == .refused(call: "rate", .invalidEventName))
        #expect(client.debugInfo()["refused"] == ["INVALID_EVENT_NAME": 1, "INVALID_VALUE": 2])
        await client.shutdown()
    }

    @Test("shows each call to the program's own function")
    func filters() async throws {
        try await client.initialize(shop: "s1", endpoint: backend.url, options: options) { call in
            var call = call
            call.name = call.name.map { "\($0)!" }
            return call.name == "SECRET!" ? nil : call
        }

        let secret = client.rate("SECRET", stars: 5)
        client.rate("A", stars: 4)
        _ = await client.flush()

        #expect(await secret.outcome == .dropped(.beforeSend))
        #expect(backend.events.map { $0["product"] } == ["A!"])
        #expect(backend.events.map { $0["stars"] } == ["4"])
        await client.shutdown()
    }

    @Test("keeps its queue over an outage and a restart")
    func survives() async throws {
        backend.answer { _ in .status(503) }
        try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
        _ = await client.rate("A", stars: 3).outcome
        await client.shutdown(timeout: .zero)
        let taken = backend.takeEverything()

        let next = ToyClient(dependencies: .system(log: log))
        try await next.initialize(shop: "s1", endpoint: backend.url, options: options)
        let report = await next.flush()

        #expect(report.remaining == 0)
        #expect(taken.events.map { $0["product"] } == ["A"])
        await next.shutdown()
    }

    @Test("is idle after a reset, and refuses calls after a shutdown")
    func lifecycle() async throws {
        try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
        await client.reset()
        #expect(client.debugInfo()["lifecycle"] == "idle")

        let held = client.rate("A", stars: 3)
        await client.shutdown()
        let late = await client.rate("B", stars: 3).outcome

        #expect(await held.outcome == .dropped(.notInitialized))
        #expect(late == .dropped(.notInitialized))
    }

    @Test("is disabled by settings that are not valid, until the next initialize")
    func disabled() async throws {
        let error = await #expect(throws: TrackerError.self) {
            try await client.initialize(shop: "", endpoint: backend.url, options: options)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(await client.rate("A", stars: 3).outcome == .dropped(.disabled))

        try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
        #expect(await client.rate("A", stars: 3).outcome.messageID != nil)
        await client.shutdown()
    }

    /// An outbox that reports its end.
    private struct ReportingOutbox: WrappingOutbox {
        let inner: SQLiteOutbox
        let ends: Recorder<Bool>

        func close(completion: @escaping @Sendable () -> Void) {
            inner.close { [ends] in
                ends.record(true)
                completion()
            }
        }
    }

    @Test("closes its lane when it is released")
    func isReleased() async throws {
        let ends = Recorder<Bool>()
        var dependencies = Dependencies.system(log: log)
        dependencies.makeOutbox = { ReportingOutbox(inner: SQLiteOutbox($0), ends: ends) }

        do {
            let client = ToyClient(dependencies: dependencies)
            try await client.initialize(shop: "s1", endpoint: backend.url, options: options)
            _ = await client.rate("A", stars: 3).outcome
            #expect(ends.all.isEmpty)
        }

        try await ends.values(atLeast: 1)
    }

    @Test("is four files of at most 350 lines together, as the basic tracker is")
    func size() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let client = ["ToyClient", "ToyCall", "ToySettings", "ToyClient+Calls"].map {
            folder.appending(path: "\($0).swift")
        }
        let basic = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "../../../Modules/TrackerCore/Basic"), includingPropertiesForKeys: nil)

        for files in [client, basic] {
            let lines = try files.map { try String(contentsOf: $0, encoding: .utf8).filter { $0 == "\n" }.count }

            #expect(files.count == 4)
            #expect(lines.reduce(0, +) <= 350)
        }
    }
}
