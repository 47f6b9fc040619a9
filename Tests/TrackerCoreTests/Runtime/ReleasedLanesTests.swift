import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// A client that is used for long leaves many lanes: none may stay in memory, or keep a file open.
@Suite("A lane that a client has left")
struct ReleasedLanesTests {
    private let fixture: AnalyticsFixture
    private let ends = Recorder<Bool>()
    private let client: AnalyticsClient

    init() throws {
        fixture = try AnalyticsFixture()
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.makeOutbox = { [ends] in MortalOutbox(SQLiteOutbox($0), ends) }
        client = AnalyticsClient(dependencies: dependencies)
    }

    @Test("is released after a reset and after a shutdown")
    func areReleased() async throws {
        for _ in 0..<3 {
            await client.initializeAndWait(with: fixture.options())
            _ = await client.track("A").outcome
            await client.resetAndWait()
        }
        try await ends.values(atLeast: 3)

        await client.initializeAndWait(with: fixture.options())
        await client.shutdown()
        try await ends.values(atLeast: 4)
    }

    @Test("is released once its queue has moved to another endpoint")
    func movesOn() async throws {
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.makeOutbox = { [ends] in MortalOutbox(SQLiteOutbox($0), ends) }
        let tracker = BasicTracker(dependencies: dependencies)
        for path in ["a", "b", "c"] {
            try tracker.initialize(
                apiKey: "key", endpoint: "\(fixture.backend.url)/\(path)", options: fixture.options().delivery)
            _ = await tracker.track(event: "A").outcome
        }
        try await ends.values(atLeast: 2)

        await tracker.shutdown()
        try await ends.values(atLeast: 3)
    }

    @Test("ends the initialize that waited for its first session, when the client is released")
    func endsInitialize() async throws {
        let gate = try Gate()
        let backend = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        let results = Recorder<Result<Void, TrackerError>>()

        do {
            let tracker = MobileTracker(dependencies: .system(log: fixture.log))
            tracker.initialize(brandId: "925", config: backend.config()) { results.record($0) }
            try await backend.backend.server.requests(atLeast: 1)
            withExtendedLifetime(tracker) {}
        }

        let result = try await results.values(atLeast: 1)[0]
        let error = #expect(throws: TrackerError.self) { try result.get() }
        #expect(error?.code == .initializationFailed)
    }

    @Test("has no file open any more")
    func closesFiles() async throws {
        for _ in 0..<3 {
            await client.initializeAndWait(with: fixture.options())
            _ = await client.track("A").outcome
            await client.shutdown()
        }
        try await ends.values(atLeast: 3)

        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            // A descriptor of another test may be closed meanwhile.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(open.filter { $0.hasPrefix(fixture.directory.path("state")) } == [])
    }
}
