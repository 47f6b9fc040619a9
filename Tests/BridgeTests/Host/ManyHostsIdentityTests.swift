import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("Several hosts in which one analytics user comes and goes")
struct ManyHostsIdentityTests {
    /// An event that a host has acknowledged.
    private struct Event {
        let name: String
        /// How many resets had been answered before it was tracked.
        let generation: Int
    }

    private let folder: TemporaryDirectory
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryDirectory()
        server = try LoopbackServer(answer: { .status($0.number % 5 == 3 ? 503 : 200) })
    }

    private func initialize(_ host: BridgeClient) async throws {
        try await host.call(
            "analytics.initialize",
            [
                [
                    "writeKey": "wk-1", "ingestionHost": .string(server.url), "flushAt": 3, "maxBatchSize": 5,
                    "storageDirectory": .string(folder.path("state")), "requestTimeoutMs": 60_000, "retryDelayMs": 10,
                    "cooldownMs": 20, "maxCooldownMs": 40,
                ]
            ])
    }

    private func start() async throws -> BridgeClient {
        let host = try BridgeClient()
        try await initialize(host)
        return host
    }

    @Test("what is tracked after a reset in one of them says nothing of who was there before, in any of them")
    func resets() async throws {
        var random = SeededGenerator(seed: Seeds.base(of: "ManyHostsIdentityTests"))
        var hosts: [BridgeClient] = []
        for _ in 0..<3 { hosts.append(try await start()) }
        var events: [Event] = []
        var generation = 0

        for _ in 0..<60 {
            let index = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                try await hosts[index].call("analytics.reset")
                generation += 1
                try await initialize(hosts[index])
            case 1:
                hosts[index].host.signal(SIGKILL)
                _ = try await hosts[index].host.end()
                hosts[index] = try await start()
            case 2:
                try await hosts[index].call("analytics.identify", [.string("user-of-\(generation)")])
            default:
                let calls = (0..<Int.random(in: 1...5, using: &random)).map { number in
                    let name = "E\(events.count + number)"
                    return (name, hosts[index].start("analytics.track", [.string(name)]))
                }
                for (name, answer) in calls {
                    #expect(try await answer.value["status"] == "queued")
                    events.append(Event(name: name, generation: generation))
                }
            }
        }
        for host in hosts {
            while try await host.call("analytics.flush", [60_000])["stoppedBy"] != nil {}
        }

        let taken = server.requests.filter { $0.number % 5 != 3 }
            .flatMap { $0.json["batch"]?.arrayValue ?? [] }.filter { $0["type"] == "track" }
        let generations = Dictionary(events.map { ($0.name, $0.generation) }) { first, _ in first }
        var ids: [Int: Set<String>] = [:]
        for event in taken {
            let name = event["event"]?.stringValue ?? ""
            let own = try #require(generations[name])
            ids[own, default: []].insert(event["anonymousId"]?.stringValue ?? "")
            if let user = event["userId"]?.stringValue { #expect(user == "user-of-\(own)", "\(name)") }
        }
        for (own, found) in ids { #expect(found.count == 1, "\(own): \(found)") }
        #expect(Set(ids.values.flatMap { $0 }).count == ids.count)
        let names = taken.compactMap { $0["event"]?.stringValue }
        let last = events.filter { $0.generation == generation }.map(\.name)
        #expect(Set(last).isSubset(of: names))
        let places = names.compactMap { name in events.firstIndex { $0.name == name } }
        var seen: Set<Int> = []
        let firsts = places.filter { seen.insert($0).inserted }
        #expect(firsts == firsts.sorted())
        for host in hosts { #expect(try await host.finish() == .code(0)) }
    }
}
