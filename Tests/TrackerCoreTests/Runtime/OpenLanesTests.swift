import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// Clients of one process that share their lanes, as the connections of an agent do.
struct SharedLanes {
    let session: SessionFixture
    let registry: OpenLanes
    let log = RecordingLog()
    /// The outboxes that were made, and those that are released.
    let opened = Recorder<Bool>()
    let released = Recorder<Bool>()
    let loops = Recorder<ClockedLoop>()
    private let isClocked: Bool

    /// - Parameters:
    ///   - patience: How long a lane that was left stays open.
    ///   - limit: How many lanes may be open.
    ///   - isClocked: Whether the timers of lanes run only when the test moves the clock of their loop.
    init(
        patience: Duration = .seconds(60), limit: Int = OpenLanes.usualLimit, isClocked: Bool = false,
        _ exception: @escaping SessionFixture.Exception = { _ in nil }
    ) throws {
        session = try SessionFixture(exception)
        registry = OpenLanes(patience: patience, limit: limit)
        self.isClocked = isClocked
    }

    /// One more client.
    func client() -> MobileTracker { MobileTracker(dependencies: dependencies) }

    func analyticsClient() -> AnalyticsClient { AnalyticsClient(dependencies: dependencies) }

    /// What a client of the process gets.
    var dependencies: Dependencies {
        var dependencies = Dependencies.system(log: log)
        dependencies.sharing = ClientSharing(registry, log: log, listener: log)
        dependencies.makeOutbox = { [opened, released] configuration in
            opened.record(true)
            return MortalOutbox(SQLiteOutbox(configuration), released)
        }
        if isClocked {
            dependencies.jitter = NoJitter()
            dependencies.makeLoop = { [loops] (configuration) throws(TransportError) in
                let loop = try ClockedLoop(configuration)
                loops.record(loop)
                return loop
            }
        }
        return dependencies
    }

    /// One more client, initialised.
    func started(_ config: TrackerConfig? = nil, brand: String = "925") async throws -> MobileTracker {
        let client = client()
        try await client.initialize(brandId: brand, config: config ?? session.config())
        return client
    }

    /// Initialises a client, and gives the error of that; `nil` if there is none.
    func failure(of client: MobileTracker, _ change: @escaping (inout TrackerConfig) -> Void) async -> TrackerError? {
        do throws(TrackerError) {
            try await client.initialize(brandId: "925", config: session.config(change))
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the server has had events with these names, each once and in this order.
    func delivers(_ names: [String]) async throws {
        try await withGuard("the delivery of \(names.count) events") { [session] in
            while session.names.count < names.count {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(session.names == names)
    }

    /// Sends what can be sent, and closes every lane.
    func end() async {
        await withCheckedContinuation { continuation in
            registry.end(within: .seconds(60)) { continuation.resume() }
        }
    }
}

/// An outbox that reports when it is released.
final class MortalOutbox: WrappingOutbox {
    let inner: SQLiteOutbox
    private let ends: Recorder<Bool>

    init(_ inner: SQLiteOutbox, _ ends: Recorder<Bool>) {
        self.inner = inner
        self.ends = ends
    }

    deinit { ends.record(true) }
}

@Suite("OpenLanes")
struct OpenLanesTests {
    /// Every order of what two clients do one after the other.
    private static let orders = interleavings("AAA", "BBB")

    private static func interleavings(_ one: Substring, _ other: Substring) -> [String] {
        if one.isEmpty || other.isEmpty { return [String(one + other)] }
        return interleavings(one.dropFirst(), other).map { "\(one.prefix(1))\($0)" }
            + interleavings(one, other.dropFirst()).map { "\(other.prefix(1))\($0)" }
    }

    @Test("tells folders apart whose names only look the same")
    func folders() throws {
        func key(_ folder: String) throws -> OpenLanes.Key? {
            var environment = EnvironmentOptions { _ in nil }
            let config = TrackerConfig(
                apiUrl: "https://a.example.com", xApiKey: "k", delivery: DeliveryOptions(storageDirectory: folder))
            return OpenLanes.Key(try TrackerSettings(brandId: "925", config: config, &environment))
        }

        #expect(try key("/tmp/Zo\u{e9}") != key("/tmp/Zoe\u{301}"))
        #expect(try key("/tmp/Zo\u{e9}") == key("/tmp/Zo\u{e9}"))
    }

    @Test("opens a lane once, in whatever order two clients come, track and leave", arguments: orders)
    func opensOnce(order: String) async throws {
        let lanes = try SharedLanes()
        var steps = ["A": 0, "B": 0]
        let clients = ["A": lanes.client(), "B": lanes.client()]

        for name in order.map(String.init) {
            let (client, step) = (try #require(clients[name]), try #require(steps[name]))
            steps[name] = step + 1
            switch step {
            case 0: try await client.initialize(brandId: "925", config: lanes.session.config())
            case 1: #expect(await client.track(eventName: name).isQueued)
            default: await client.shutdown(timeout: .zero)
            }
        }
        let tracked = order.map(String.init).enumerated().filter { index, name in
            order.map(String.init)[..<index].count { $0 == name } == 1
        }
        try await lanes.delivers(tracked.map(\.element))

        #expect(lanes.registry.count == 1)
        #expect(lanes.opened.all.count == 1)
        #expect(lanes.session.creations.count == 1)
        await lanes.end()
        #expect(lanes.registry.count == 0)
    }

    @Test("opens a lane once for clients that come and leave at the same time", arguments: Seeds.cases(10, of: "lanes"))
    func opensOnceForMany(seed: UInt64) async throws {
        let lanes = try SharedLanes()

        let queued = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<6 {
                var chance = SeededGenerator(seed: seed &+ UInt64(number))
                let rounds = (0..<3).map { _ in chance.number(0...4) }
                group.addTask {
                    var names: [String] = []
                    for (round, events) in rounds.enumerated() {
                        let client = try await lanes.started()
                        for event in 0..<events {
                            let name = "\(number)-\(round)-\(event)"
                            if await client.track(eventName: name).isQueued { names.append(name) }
                        }
                        await client.shutdown(timeout: .zero)
                    }
                    return names
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        await lanes.end()

        #expect(lanes.session.names.sorted() == queued.sorted())
        #expect(lanes.opened.all.count == 1)
        #expect(lanes.session.creations.count == 1)
        try await lanes.released.values(atLeast: 1)
    }

    @Test("makes one session for clients that wait for it, and one that leaves meanwhile holds up nobody")
    func sharesFirstSession() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        let (first, second) = (lanes.client(), lanes.client())
        let results = Recorder<Result<Void, TrackerError>>()
        first.initialize(brandId: "925", config: lanes.session.config()) { results.record($0) }
        try await lanes.session.backend.server.requests(atLeast: 1)
        let others = Recorder<Result<Void, TrackerError>>()
        second.initialize(brandId: "925", config: lanes.session.config()) { others.record($0) }
        #expect(await second.track(eventName: "A").isPending)

        await first.shutdown(timeout: .zero)
        gate.open()
        try await others.values(atLeast: 1)[0].get()

        #expect(second.sessionId == "S1")
        #expect(throws: TrackerError.self) { try results.all.first?.get() }
        #expect(lanes.session.creations.count == 1)
        try await lanes.delivers(["A"])
        await lanes.end()
    }

    @Test("keeps no lane that could not be opened, and opens it anew once that is possible")
    func failsToOpen() async throws {
        let lanes = try SharedLanes()
        let state = lanes.session.directory.path("state")
        try #require(FileManager.default.createFile(atPath: state, contents: nil))
        let clients = (0..<4).map { _ in lanes.client() }

        await withTaskGroup(of: TrackerError?.self) { group in
            for client in clients {
                group.addTask {
                    do throws(TrackerError) {
                        try await client.initialize(brandId: "925", config: lanes.session.config())
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group { #expect(error?.code == .storage) }
        }
        #expect(lanes.registry.count == 0)
        for client in clients { await client.shutdown(timeout: .zero) }
        let failed = lanes.opened.all.count
        try await lanes.released.values(atLeast: failed)

        try FileManager.default.removeItem(atPath: state)
        try await clients[0].initialize(brandId: "925", config: lanes.session.config())
        #expect(await clients[0].track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])
        #expect(lanes.opened.all.count == failed + 1)
        #expect(lanes.registry.count == 1)
        await lanes.end()
    }

    @Test("closes an empty lane a while after it was last left, by one timer however often that was")
    func retires() async throws {
        let lanes = try SharedLanes(patience: .seconds(60), isClocked: true)
        for _ in 0..<10 { await (try await lanes.started()).shutdown(timeout: .zero) }
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        #expect(loop.pending.filter { $0 == .seconds(60) }.count == 1)

        // It is in use when the time is over.
        loop.advance(by: .seconds(50))
        let client = try await lanes.started()
        loop.advance(by: .seconds(10))
        await loop.turn()
        #expect(lanes.registry.count == 1)

        // Left once more, and then again just before the time is over.
        await client.shutdown(timeout: .zero)
        try await loop.timer(at: .seconds(120))
        loop.advance(by: .seconds(59))
        await (try await lanes.started()).shutdown(timeout: .zero)
        loop.advance(by: .seconds(1))
        await loop.turn()
        #expect(lanes.registry.count == 1)
        #expect(lanes.opened.all.count == 1)

        loop.advance(by: .seconds(59))
        try await lanes.released.values(atLeast: 1)
        #expect(lanes.registry.count == 0)
    }

    @Test("keeps what a lane has counted that is closed: no counter of the process ever falls")
    func countsClosedLanes() async throws {
        let lanes = try SharedLanes(patience: .seconds(60), isClocked: true)
        func count(_ metric: String) -> Int? {
            let start = "mobile_tracker_\(metric){client=\"tracker\"} "
            let lines = MetricsText(lanes.registry.metrics.map { ($0.name, $0.metrics) }).text.split(separator: "\n")
            return lines.first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
        }
        // Its other timer is at 30 s.
        let client = try await lanes.started(lanes.session.config { $0.initTimeout = .seconds(30) })
        #expect(await client.track(eventName: "A").isQueued)
        // What has arrived is recorded as well: a lane that is not empty would stay.
        #expect(await client.flush(timeout: .seconds(60)).remaining == 0)
        await client.shutdown(timeout: .zero)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await loop.timer(at: .seconds(60))
        loop.advance(by: .seconds(60))
        try await lanes.released.values(atLeast: 1)

        #expect(lanes.registry.count == 0)
        #expect(count("accepted_records_total") == 1 && count("delivered_records_total") == 1)
        #expect(count("delivery_seconds_count") == 1 && count("queued_records") == nil)

        let next = try await lanes.started()
        #expect(count("accepted_records_total") == 1 && count("queued_records") == 0)
        #expect(await next.track(eventName: "B").isQueued)
        try await lanes.delivers(["A", "B"])
        await lanes.end()

        #expect(count("accepted_records_total") == 2 && count("queued_records") == 0)
        let left = try #require(next.control.metrics.lane)
        #expect(left.counters == nil && left.failingDisks == nil)
        #expect(left.deliveryTimes == nil && left.halts == nil && left.openBreakers == nil)
        await next.shutdown(timeout: .zero)
    }

    @Test("keeps what a lane in memory has counted, which it does not share")
    func countsLanesInMemory() async throws {
        let lanes = try SharedLanes()
        var config = lanes.session.config()
        config.delivery.persistence = .memory
        let client = try await lanes.started(config)
        #expect(await client.track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])

        await client.shutdown(timeout: .seconds(60))

        let metrics = MetricsText(lanes.registry.metrics.map { ($0.name, $0.metrics) }).text
        #expect(metrics.contains(#"mobile_tracker_accepted_records_total{client="tracker"} 1"#))
        #expect(client.control.metrics.lane == nil)
    }

    @Test("keeps a lane that nobody has until what waits in it is delivered")
    func keepsUndelivered() async throws {
        let lanes = try SharedLanes(patience: .seconds(60), isClocked: true) { $0.isEvent ? .status(503) : nil }
        let client = try await lanes.started(lanes.session.patientConfig)
        #expect(await client.track(eventName: "A").isQueued)
        await client.shutdown(timeout: .zero)
        let loop = try await lanes.loops.values(atLeast: 1)[0]
        try await lanes.session.backend.server.requests(atLeast: 2)
        await loop.turn()

        for _ in 0..<3 {
            loop.advance(by: .seconds(60))
            await loop.turn()
        }
        #expect(lanes.registry.count == 1)
        #expect(lanes.session.names == ["A"])

        lanes.session.answer()
        try await withGuard("the end of the lane") {
            while lanes.registry.count > 0 {
                try Task.checkCancellation()
                loop.advance(by: .seconds(3600))
                await loop.turn()
            }
        }
        try await lanes.released.values(atLeast: 1)
        #expect(lanes.session.names == ["A", "A"])
    }

    @Test("refuses a lane more than there may be, and takes it once another is closed; who has one may change it")
    func limit() async throws {
        let lanes = try SharedLanes(limit: 1, isClocked: true)
        let first = try await lanes.started()
        let second = lanes.client()
        let error = await #expect(throws: TrackerError.self) {
            try await second.initialize(brandId: "926", config: lanes.session.config())
        }
        #expect(error?.code == .initializationFailed && error?.isPassing == true)
        #expect(error?.message.contains("--max-lanes 1") == true)
        #expect(try await lanes.started().track(eventName: "A").isQueued)
        try await lanes.delivers(["A"])
        await first.resetAndWait(all: true)
        try await first.initialize(brandId: "927", config: lanes.session.config())

        // Nobody has it, and nothing waits in it: it gives way.
        await first.shutdown(timeout: .zero)
        #expect(await lanes.failure(of: second) { _ in } == nil)
        await lanes.end()
    }

    @Test("counts a queue in memory among them, until its client has left it")
    func countsMemory() async throws {
        let lanes = try SharedLanes(limit: 1, isClocked: true)
        let (first, second) = (lanes.client(), lanes.client())
        #expect(await lanes.failure(of: first) { $0.delivery.persistence = .memory } == nil)

        for persistence in [DeliveryOptions.Persistence.memory, .disk] {
            let error = await lanes.failure(of: second) { $0.delivery.persistence = persistence }
            #expect(error?.isPassing == true && error?.message.contains("--max-lanes 1") == true)
        }

        await first.shutdown(timeout: .zero)
        try await withGuard("a place among the lanes") {
            while await lanes.failure(of: second, { $0.delivery.persistence = .memory }) != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        await lanes.end()
    }

    @Test("keeps its records again once a client begins, after the first one has made no session")
    func keepsUnbound() async throws {
        let lanes = try SharedLanes { $0.isCreation ? .status(503) : nil }
        #expect(await lanes.failure(of: lanes.client()) { _ in } != nil)
        let client = lanes.client()
        #expect(await lanes.failure(of: client) { $0.sessionCreation = .inBackground } == nil)
        #expect(await client.track(eventName: "A").isPending)

        let elsewhere = lanes.client()
        let address = lanes.session.config().apiUrl?.replacing("127.0.0.1", with: "localhost")
        let error = await lanes.failure(of: elsewhere) { config in
            (config.apiUrl, config.sessionCreation) = (address, .inBackground)
        }

        #expect(error == nil)
        #expect(client.debugInfo()["queueLength"]?.intValue == 1)
        #expect(elsewhere.debugInfo()["queueLength"]?.intValue == 0)
        await lanes.end()
    }

    @Test("closes a lane that nobody has and nothing waits in once another is to be opened and half of them are open")
    func makesRoom() async throws {
        let lanes = try SharedLanes(limit: 2, isClocked: true) { $0.text.contains("KEPT") ? .status(503) : nil }
        await (try await lanes.started()).shutdown(timeout: .zero)
        let kept = try await lanes.started(lanes.session.patientConfig, brand: "926")
        #expect(await kept.track(eventName: "KEPT").isQueued)
        await kept.shutdown(timeout: .zero)
        try await lanes.released.values(atLeast: 1)
        #expect(lanes.registry.count == 1)

        let client = try await lanes.started(brand: "927")
        #expect(lanes.registry.count == 2)
        #expect(await client.track(eventName: "A").isQueued)
        await lanes.end()
    }

    @Test("has clients that change their queue keep within twice the limit, whatever they leave")
    func changes() async throws {
        let lanes = try SharedLanes(limit: 1, isClocked: true) { $0.isEvent || $0.isCreation ? .status(503) : nil }
        let client = lanes.client()
        var codes: [TrackerError.Code?] = []
        for brand in ["925", "926", "927"] {
            do throws(TrackerError) {
                try await client.initialize(
                    brandId: brand, config: lanes.session.config { $0.sessionCreation = .inBackground })
                codes.append(nil)
            } catch {
                codes.append(error.code)
            }
            _ = await client.track(eventName: "E\(brand)")
            client.reset(all: true, messageId: nil)
            _ = await client.track(eventName: "F\(brand)")
        }
        #expect(codes == [nil, nil, .initializationFailed])
        await lanes.end()
    }

    @Test("goes on with a flush whose client leaves, and its report comes when all is sent")
    func leavesDuringFlush() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes { $0.isEvent ? .gated(gate, .status(200)) : nil }
        let client = try await lanes.started()
        for name in ["A", "B", "C"] { #expect(await client.track(eventName: name).isQueued) }
        async let report = client.flush(timeout: .seconds(60))
        try await lanes.session.backend.server.requests(atLeast: 2)

        await client.shutdown(timeout: .zero)
        #expect(await client.track(eventName: "NO") == .dropped(.notInitialized))
        gate.open()

        #expect(await report.remaining == 0)
        try await lanes.delivers(["A", "B", "C"])
        #expect(lanes.registry.count == 1)
        await lanes.end()
    }

    @Test("sends what waits before it ends, and a client that comes later has a lane of its own")
    func ends() async throws {
        let gate = try Gate()
        let lanes = try SharedLanes { $0.isEvent ? .gated(gate, .status(200)) : nil }
        let client = try await lanes.started()
        #expect(await client.track(eventName: "A").isQueued)
        try await lanes.session.backend.server.requests(atLeast: 2)

        async let end: Void = lanes.end()
        while lanes.registry.count > 0 { await Task.yield() }
        // It leaves while its lane is being ended: that does not cut the end short.
        await client.shutdown(timeout: .zero)
        gate.open()
        await end
        #expect(lanes.session.names == ["A"])

        let late = try await lanes.started()
        #expect(await late.track(eventName: "B").isQueued)
        #expect(lanes.registry.count == 0)
        await late.drain()
        await late.shutdown()
        try await lanes.released.values(atLeast: 2)
        #expect(lanes.session.names == ["A", "B"])
    }

    @Test("has a client that is released leave its lane")
    func isReleased() async throws {
        let lanes = try SharedLanes(patience: .zero)
        do {
            let client = try await lanes.started()
            #expect(await client.track(eventName: "A").isQueued)
            withExtendedLifetime(client) {}
        }

        try await lanes.delivers(["A"])
        try await withGuard("the end of the lane") {
            while lanes.registry.count > 0 {
                try Task.checkCancellation()
                await (try await lanes.started()).shutdown(timeout: .zero)
            }
        }
        try await lanes.released.values(atLeast: 1)
    }
}

extension MobileTracker {
    /// Sends what is queued.
    fileprivate func drain() async { _ = await flush(timeout: .seconds(60)) }
}
