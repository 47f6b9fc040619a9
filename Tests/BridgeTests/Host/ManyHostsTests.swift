import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerModels

extension Recorder where Element == String {
    /// Waits until something was recorded.
    fileprivate func first(where isWanted: (String) -> Bool) async throws {
        var values = all
        while !values.contains(where: isWanted) { values = try await self.values(atLeast: values.count + 1) }
    }
}

@Suite("Several hosts on one state folder")
struct ManyHostsTests {
    /// How many are killed: `make kills` says it in the environment.
    private static let given = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) }
    private static let kills = max(1, given ?? 20)

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Starts hosts that all work for one brand at one backend.
    private func start(_ count: Int, _ backend: Backend) async throws -> [BridgeClient] {
        var clients: [BridgeClient] = []
        for _ in 0..<count {
            let client = try BridgeClient()
            try await client.call("init", ["925", config(backend)])
            clients.append(client)
        }
        return clients
    }

    /// No request times out by itself.
    private func config(_ backend: Backend, _ more: JSONObject = [:]) -> JSONValue {
        var all: JSONObject = ["requestTimeoutMs": 60_000]
        all.merge(more)
        return backend.config(folder, all)
    }

    /// Tracks through the hosts in turn, each after the one before has answered.
    private func track(_ names: [String], _ clients: [BridgeClient]) async throws {
        for (index, name) in names.enumerated() {
            let outcome = try await clients[index % clients.count].call("track", [.string(name)])
            #expect(outcome["status"] == "queued")
        }
    }

    private func events(_ backend: Backend) -> [LoopbackRequest] {
        backend.server.requests.filter { $0.path == "/v2/tracking-session-data" }
    }

    private func isBalanced(_ client: BridgeClient) async throws -> Bool {
        let account = try #require(try await client.call("getDebugInfo")["account"])
        let dropped = account["dropped"]?.objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0
        let term = { (name: String) in account[name]?.intValue ?? 0 }
        return term("accepted") + term("recovered") + term("requeued") == term("delivered") + term("queued") + dropped
    }

    @Test("share one lane: what they take in turn arrives once each, in that order, under numbers without a gap")
    func interleaved() async throws {
        let backend = try Backend()
        let clients = try await start(3, backend)
        let names = (1...100).map { "E\($0)" }

        try await track(names, clients)
        for client in clients { #expect(try await client.call("flush", [60_000])["remaining"] == 0) }

        #expect(backend.eventNames == names)
        #expect(Set(events(backend).map { $0.header("Idempotency-Key") }).count == 100)
        #expect(events(backend).map { $0.header("X-Sequence") } == (1...100).map { "\($0)" })
        #expect(Set(events(backend).map { $0.json["session_id"] }) == ["session-1"])
        #expect(backend.server.requests.count == 101)
        for client in clients {
            #expect(try await isBalanced(client))
            #expect(try await client.finish() == .code(0))
        }
    }

    @Test("go on when the one that delivers is killed: what was on the wire or not recorded comes again, under its key")
    func killed() async throws {
        let stalled = Once()
        let backend = try Backend { $0.text.contains("\"E7\"") && stalled.claim() ? .nothing(then: .stall) : nil }
        let clients = try await start(3, backend)
        let names = (1...30).map { "E\($0)" }

        try await track(names, clients)
        _ = try await backend.server.requests(atLeast: 8)
        var deliverers: [BridgeClient] = []
        for client in clients where try await client.call("getDebugInfo")["delivering"] == "here" {
            deliverers.append(client)
        }
        try #require(deliverers.count == 1)
        deliverers[0].host.signal(SIGKILL)
        #expect(try await deliverers[0].host.end() == .signal(SIGKILL))
        let others = clients.filter { $0 !== deliverers[0] }
        // They need no flush: they have queued something themselves.
        _ = try await backend.server.requests(atLeast: 32)
        for client in others { #expect(try await client.call("flush", [60_000])["remaining"] == 0) }

        // What was delivered just before the kill may not have been recorded.
        let repeats = backend.eventNames.count - 30
        try #require((1...7).contains(repeats))
        #expect(backend.eventNames == Array(names[..<7] + names[(7 - repeats)...]))
        #expect(Set(events(backend).map { $0.header("Idempotency-Key") }).count == 30)
        #expect(Set(events(backend).map { $0.header("X-Sequence") }).count == 30)
        for client in others {
            #expect(try await isBalanced(client))
            #expect(try await client.finish() == .code(0))
        }
    }

    @Test("go on each time that the one that delivers is stopped, and then killed")
    func stoppedThenKilled() async throws {
        let stalled = Mutex<Set<String>>([])
        let arrived = Recorder<String>()
        let backend = try Backend { request in
            guard let name = request.json["event_name"]?.stringValue else { return nil }
            arrived.record(name)
            guard name.hasSuffix("-1"), stalled.withLock({ $0.insert(name).inserted }) else { return nil }
            return .nothing(then: .stall)
        }
        var clients = try await start(3, backend)
        let rounds = max(2, (Self.given ?? 0) / 25)

        for round in 1...rounds {
            try await track((1...4).map { "R\(round)-\($0)" }, clients)
            try await arrived.first { $0 == "R\(round)-1" }
            var deliverers: [Int] = []
            for (index, client) in clients.enumerated() {
                if try await client.call("getDebugInfo")["delivering"] == "here" { deliverers.append(index) }
            }
            try #require(deliverers.count == 1)
            let victim = clients.remove(at: deliverers[0])
            // One that is stopped while it writes has all others wait until it is killed.
            let lock = try await onThread { [folder] in try LockedFile(folder.path("state/writer.lock")) }
            try await victim.host.stop()
            lock.unlock()
            // They look whether the lane is free, and find that it is not.
            try await track((5...8).map { "R\(round)-\($0)" }, clients)
            victim.host.signal(SIGKILL)
            #expect(try await victim.host.end() == .signal(SIGKILL))
            // They need no flush.
            try await arrived.first { $0 == "R\(round)-8" }
            clients += try await start(1, backend)
        }

        for client in clients {
            #expect(try await client.call("flush", [60_000])["remaining"] == 0)
            #expect(try await isBalanced(client))
            #expect(try await client.finish() == .code(0))
        }
        let expected = (1...rounds).flatMap { round in (1...8).map { "R\(round)-\($0)" } }
        #expect(backend.distinctEventNames == expected)
    }

    @Test("leave the lane to those that reach the server: one behind a dead proxy holds up no events")
    func deadProxy() async throws {
        let backend = try Backend()
        let healthy = try await start(1, backend)[0]
        let cutOff = try BridgeClient()
        // It tries again in an hour.
        let hour: JSONValue = 3_600_000
        try await cutOff.call(
            "init",
            [
                "925",
                config(
                    backend,
                    [
                        "proxy": "http://127.0.0.1:1", "retryDelayMs": hour, "cooldownMs": hour, "maxCooldownMs": hour,
                    ]),
            ])
        let names = (1...20).map { "E\($0)" }

        try await track(Array(names[..<10]), [cutOff])
        #expect(try await cutOff.call("flush", [60_000])["stoppedBy"] == "retryWait")
        try await track(Array(names[10...]), [healthy])
        _ = try await backend.server.requests(atLeast: 21)
        #expect(try await healthy.call("flush", [60_000])["remaining"] == 0)

        #expect(backend.eventNames == names)
        for client in [healthy, cutOff] {
            #expect(try await isBalanced(client))
            #expect(try await client.finish() == .code(0))
        }
    }

    @Test("end without a repeat: the request under way is answered and recorded before another goes on")
    func endWithoutRepeat() async throws {
        let backend = try Backend()
        let clients = try await start(2, backend)
        let answers = (1...200).flatMap { number in
            clients.map { $0.start("track", ["E\(number)"]) }
        }
        for answer in answers { #expect(try await answer.value["status"] == "queued") }

        async let ending = clients[0].finish()
        #expect(try await clients[1].finish() == .code(0))
        #expect(try await ending == .code(0))
        let last = try await start(1, backend)[0]
        #expect(try await last.call("flush", [60_000])["remaining"] == 0)

        let keys = events(backend).map { $0.header("Idempotency-Key") }
        #expect(keys.count == 400)
        #expect(Set(keys).count == 400)
        #expect(try await last.finish() == .code(0))
    }

    /// The order that one host gets while another delivers.
    enum Order: CaseIterable {
        case denial, resetAll

        var reason: String { self == .denial ? "consent" : "reset" }

        func give(to client: BridgeClient) async throws {
            switch self {
            case .denial: try await client.call("setConsent", ["denied"])
            case .resetAll: try await client.call("reset", [true])
            }
        }
    }

    @Test("obey an order that one of them gets: no other sends from the queue after it", arguments: Order.allCases)
    func obey(order: Order) async throws {
        let gate = try Gate()
        let backend = try Backend { $0.text.contains("\"E3\"") ? .gated(gate, .status(200)) : nil }
        let clients = try await start(2, backend)
        let names = (1...10).map { "E\($0)" }
        try await track(names, [clients[0]])
        _ = try await backend.server.requests(atLeast: 4)

        try await order.give(to: clients[1])
        gate.open()
        #expect(try await clients[0].call("flush", [60_000])["remaining"] == 0)
        let info = try await clients[0].call("getDebugInfo")
        #expect(info["queueLength"] == 0)
        // What was delivered and is not recorded yet goes with the rest.
        let delivered = info["account"]?["delivered"]?.intValue ?? 0
        #expect((0...2).contains(delivered))
        #expect(info["account"]?["dropped"] == .object([order.reason: JSONValue(10 - delivered)]))
        #expect(try await isBalanced(clients[0]))
        if order == .denial {
            #expect(try await clients[0].call("track", ["NO"])["reason"] == "TRACKING_NOT_ALLOWED")
            try await clients[0].call("setConsent", ["granted"])
        }
        try await clients[0].call("track", ["NEW"])
        #expect(try await clients[0].call("flush", [60_000])["remaining"] == 0)

        #expect(backend.eventNames == ["E1", "E2", "E3", "NEW"])
        #expect(events(backend).last?.json["session_id"] == "session-2")
        for client in clients { #expect(try await client.finish() == .code(0)) }
    }

    @Test("take over from one whose key is refused, with their own")
    func halted() async throws {
        let backend = try Backend {
            $0.header("X-API-Key") == "key-refused" && $0.path == "/v2/tracking-session-data" ? .status(401) : nil
        }
        let refused = try BridgeClient()
        try await refused.call("init", ["925", config(backend, ["xApiKey": "key-refused"])])

        try await refused.call("track", ["A"])
        #expect(try await refused.call("flush", [60_000])["stoppedBy"] == "halted")
        #expect(try await refused.call("getDebugInfo")["lifecycle"] == "halted")
        let other = try await start(1, backend)[0]
        try await other.call("track", ["B"])
        try await refused.call("track", ["C"])
        #expect(try await other.call("flush", [60_000])["remaining"] == 0)

        #expect(backend.eventNames == ["A", "A", "B", "C"])
        #expect(
            events(backend).map { $0.header("X-API-Key") } == ["key-refused"]
                + Array(repeating: "key-12345678", count: 3))
        for client in [refused, other] {
            #expect(try await isBalanced(client))
            #expect(try await client.finish() == .code(0))
        }
    }

    /// What holds however hosts are killed: all is sent, in its order, and repeated only where a kill took the answer.
    private func checkOrder(_ report: ManyHostsReport) {
        if Self.given != nil { print(report) }
        #expect(report.remaining == [0, 0, 0])
        #expect(report.outOfOrder == [])
        #expect(report.overtaken == [])
        #expect(report.repeats <= report.kills * 64)
    }

    @Test("killed at any point, one after the other, lose nothing, keep the order of the lane and repeat little")
    func generated() async throws {
        let seed = Seeds.base(of: "ManyHostsTests")
        var run = try ManyHostsRun(seed: seed, hosts: 3)

        for _ in 0..<Self.kills { try await run.kill() }
        let report = try await run.finish()

        checkOrder(report)
        #expect(report.unanswered == [])
        #expect(report.lost == [])
        #expect(report.takenCount == report.count)
        #expect(report.underOtherNumbers == [])
        for account in report.accounts { #expect(account["dropped"] == [:]) }
    }

    @Test("killed and told to leave the user, at any point: what had a session reaches it, and none outlives a reset")
    func generatedResets() async throws {
        let seed = Seeds.base(of: "ManyHostsTests of resets")
        var run = try ManyHostsRun(seed: seed, hosts: 3)

        for number in 0..<Self.kills {
            try await run.kill()
            if number % 3 == 0 { try await run.reset() }
        }
        let report = try await run.finish()

        checkOrder(report)
        #expect(report.lostBound == [])
        #expect(report.sessionsAcrossResets == [])
        #expect(report.underOtherNumbers == [])
        for account in report.accounts {
            #expect(account["dropped"]?.objectValue?.keys.allSatisfy { $0 == "reset" } == true)
        }
    }

    @Test("with kills and denials at any point: all obey at once, and calls after a grant arrive")
    func generatedDenials() async throws {
        let seed = Seeds.base(of: "ManyHostsTests of denials")
        var run = try ManyHostsRun(seed: seed, hosts: 3)

        for number in 0..<Self.kills {
            try await run.kill()
            guard number % 3 == 0 else { continue }
            let outcomes = try await run.deny()
            #expect(Set(outcomes) == [["status": "dropped", "reason": "TRACKING_NOT_ALLOWED"]])
        }
        let report = try await run.finish()

        checkOrder(report)
        #expect(report.lostUndenied == [])
        // One may have been on the wire, on its way to the server, when consent was denied.
        #expect(report.requestsAfterDenial <= 1)
        #expect(report.sessionsAcrossResets == [])
        #expect(!report.deliveries.contains { $0.name == "REFUSED" })
        for account in report.accounts {
            #expect(account["dropped"]?.objectValue?.keys.allSatisfy { $0 == "consent" } == true)
        }
    }
}
