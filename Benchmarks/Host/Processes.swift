import TestSupport
import TrackerModels

/// Several hosts on one state folder.
enum Processes {
    private static let calls = 2_000
    private static let rounds = 20

    static func run() async throws {
        for durability in ["process", "full"] {
            for count in [2, 4] {
                say("\(count) processes, durability \(durability)")
                try await measureWaits(count, durability)
                try await measureHandOver(count, durability)
            }
        }
    }

    /// How long each call waits while all hosts are called at once, one call at a time each.
    private static func measureWaits(_ count: Int, _ durability: String) async throws {
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let config = backend.config(folder.path("state"), ["durability": .string(durability)])
        let hosts = try (0..<count).map { _ in try start(config) }
        let begin = ContinuousClock.now
        let waits = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for host in hosts { group.addTask { try await onThread { try times(of: host) } } }
            return try await group.reduce(into: [Duration]()) { $0 += $1 }
        }
        let rate = (ContinuousClock.now - begin).rate(of: waits.count)
        say("  waits of \(waits.count) calls: \(waits.figures); \(rate) calls a second")
    }

    private static func times(of host: HostClient) throws -> [Duration] {
        let line = Sample.line
        return try (0..<calls).map { _ in
            let begin = ContinuousClock.now
            try host.write(line)
            _ = try host.readLine()
            return ContinuousClock.now - begin
        }
    }

    /// How long it takes from the death of the host that delivers to the next request of another.
    private static func measureHandOver(_ count: Int, _ durability: String) async throws {
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let config = backend.config(folder.path("state"), ["durability": .string(durability)])
        var hosts = try (0..<count).map { _ in try start(config) }
        var arrivals = backend.arrivals.makeAsyncIterator()
        var times: [Duration] = []

        for _ in 0..<rounds {
            // The delivering process has a request without an answer; all have something queued.
            backend.keepSilent(true)
            for host in hosts { try host.call("track", ["EVENT"]) }
            while let arrival = await arrivals.next(), !arrival.isUnanswered {}
            let deliverer = try hosts.firstIndex { try $0.call("getDebugInfo")["delivering"] == "here" }
            guard let deliverer else { throw HostClient.Failure(description: "Nobody delivers.") }
            backend.keepSilent(false)
            let death = ContinuousClock.now
            hosts[deliverer].kill()
            while let arrival = await arrivals.next() {
                guard !arrival.isUnanswered, arrival.time > death else { continue }
                times.append(arrival.time - death)
                break
            }
            hosts[deliverer] = try start(config)
            try hosts[deliverer].call("flush")
        }
        say("  hand-over after \(times.count) kills: \(times.figures)")
    }

    private static func start(_ config: JSONValue) throws -> HostClient {
        let host = try HostClient()
        try host.call("init", ["925", config])
        return host
    }
}
