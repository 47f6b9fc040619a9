import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("Several hosts on one state folder, with the clients that send batches")
struct ManyHostsClientsTests {
    /// Which client the hosts speak for.
    enum Client: CaseIterable, Sendable {
        case analytics, basic

        /// Sets it up in a host: everything is sent at once, and no request times out by itself.
        func start(_ host: BridgeClient, _ server: LoopbackServer, _ folder: TemporaryDirectory, key: String = "key-1")
            async throws
        {
            let options: JSONObject = [
                "storageDirectory": .string(folder.path("state")), "requestTimeoutMs": 60_000, "retryDelayMs": 10,
                "cooldownMs": 20, "maxCooldownMs": 40,
            ]
            switch self {
            case .analytics:
                var all: JSONObject = ["writeKey": "wk-1", "ingestionHost": .string(server.url), "flushAt": 1]
                all.merge(options)
                try await host.call("analytics.initialize", [.object(all)])
            case .basic:
                try await host.call(
                    "basic.initialize", [.string(key), .string(server.url + "/events"), nil, .object(options)])
            }
        }

        func track(_ name: String, _ host: BridgeClient) async throws {
            let method = self == .analytics ? "analytics.track" : "basic.track"
            #expect(try await host.call(method, [.string(name)])["status"] == "queued")
        }

        /// The names of the events in a request.
        func names(_ request: LoopbackRequest) -> [String] {
            let events = (request.json["batch"] ?? request.json).arrayValue ?? []
            return events.compactMap { $0[self == .analytics ? "event" : "name"]?.stringValue }
        }
    }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func start(_ count: Int, _ client: Client, _ server: LoopbackServer) async throws -> [BridgeClient] {
        var hosts: [BridgeClient] = []
        for _ in 0..<count {
            let host = try BridgeClient()
            try await client.start(host, server, folder)
            hosts.append(host)
        }
        return hosts
    }

    /// The names that have come, once a certain one is among them that many times.
    private func names(_ client: Client, _ server: LoopbackServer, with last: String, times: Int = 1) async throws
        -> [String]
    {
        while true {
            let requests = server.requests
            let names = requests.flatMap(client.names)
            if names.count(where: { $0 == last }) >= times { return names }
            try await server.requests(atLeast: requests.count + 1)
        }
    }

    @Test("what they take in turn arrives once each, in that order", arguments: Client.allCases)
    func interleaved(client: Client) async throws {
        let server = try LoopbackServer()
        let hosts = try await start(3, client, server)
        let names = (1...60).map { "E\($0)" }

        for (index, name) in names.enumerated() { try await client.track(name, hosts[index % 3]) }
        #expect(try await self.names(client, server, with: "E60") == names)
        for host in hosts { #expect(try await host.finish() == .code(0)) }

        #expect(server.requests.flatMap(client.names) == names)
        let numbers = server.requests.compactMap { $0.header("X-Sequence").flatMap { Int($0) } }
        #expect(numbers.count == server.requests.count)
        #expect(
            zip(numbers, server.requests).allSatisfy { number, request in client.names(request)[0] == "E\(number)" })
    }

    @Test(
        "the others go on when the one that delivers is killed, and only its batch comes again",
        arguments: Client.allCases)
    func killed(client: Client) async throws {
        let stalled = Once()
        let server = try LoopbackServer(answer: { _ in stalled.claim() ? .nothing(then: .stall) : .status(200) })
        var hosts = try await start(1, client, server)
        let names = (1...12).map { "E\($0)" }

        // Any process may deliver what waits: the others start once this one delivers.
        try await client.track("E1", hosts[0])
        try await server.requests(atLeast: 1)
        hosts += try await start(2, client, server)
        for (index, name) in names.dropFirst().enumerated() { try await client.track(name, hosts[index % 3]) }
        #expect(server.requests.count == 1)
        hosts[0].host.signal(SIGKILL)
        #expect(try await hosts[0].host.end() == .signal(SIGKILL))

        #expect(try await self.names(client, server, with: "E12") == ["E1"] + names)
        for host in hosts.dropFirst() { #expect(try await host.finish() == .code(0)) }
        #expect(server.requests.flatMap(client.names) == ["E1"] + names)
    }

    @Test("one whose key is refused hands over to another, with its own")
    func halted() async throws {
        let client = Client.basic
        let server = try LoopbackServer(answer: { .status($0.header("X-API-Key") == "key-refused" ? 401 : 200) })
        let refused = try BridgeClient()
        try await client.start(refused, server, folder, key: "key-refused")

        try await client.track("A", refused)
        try await server.requests(atLeast: 1)
        let other = try await start(1, client, server)[0]
        try await client.track("B", other)

        let names = try await names(client, server, with: "B")
        #expect(names == ["A", "A", "B"])
        #expect(server.requests.dropFirst().allSatisfy { $0.header("X-API-Key") == "key-1" })
        for host in [refused, other] { #expect(try await host.finish() == .code(0)) }
    }
}
