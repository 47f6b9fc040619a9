import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The methods for what the server has refused")
struct RefusedMethodTests {
    private let folder: TemporaryDirectory
    private let backend: Backend
    private let client: BridgeClient
    /// Holds something once the server takes everything.
    private let mended = Recorder<Bool>()

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend { [mended] request in
            mended.all.isEmpty && request.text.contains("BAD") ? .status(422, body: "no") : nil
        }
        client = try BridgeClient()
    }

    /// Three clients, each with an event that the server has refused.
    private func refuse() async throws {
        try await client.call("init", ["925", backend.config(folder)])
        let (url, state) = (JSONValue.string(backend.server.url), JSONValue.string(folder.path("state")))
        try await client.call(
            "analytics.initialize", [["writeKey": "wk", "ingestionHost": url, "storageDirectory": state]])
        try await client.call(
            "basic.initialize", ["key", .string(backend.server.url + "/events"), nil, ["storageDirectory": state]])
        try await client.call("track", ["eventName": "BAD", "messageId": "m1"])
        try await client.call("analytics.track", ["BAD2"])
        try await client.call("basic.track", ["BAD3"])
        for flush in ["flush", "analytics.flush", "basic.flush"] {
            #expect(try await client.call(flush)["remaining"] == 0)
        }
    }

    private func list(_ filter: JSONValue? = nil) async throws -> [JSONValue] {
        try await client.call("refused.list", filter.map { [$0] } ?? [])["events"]?.arrayValue ?? []
    }

    @Test("list, send again and remove them, of all clients or of one")
    func allClients() async throws {
        try await refuse()

        let events = try await list()
        #expect(events.map { $0["client"] } == ["tracker", "analytics", "basic"])
        #expect(events.map { $0["event"] } == ["BAD", "BAD2", "BAD3"])
        #expect(events.allSatisfy { $0["status"] == 422 && $0["answer"] == "no" && $0["reason"] == "rejected" })
        #expect(events[0]["messageId"] == "m1" && events[0]["sessionId"] == "session-1")

        #expect(try await client.call("refused.drop", [["client": "basic"]]) == ["dropped": 1])
        mended.record(true)
        #expect(try await client.call("refused.retry") == ["requeued": 2])
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(try await client.call("analytics.flush")["remaining"] == 0)
        #expect(try await list().isEmpty)
        let keys = backend.server.requests.suffix(2).compactMap { $0.header("Idempotency-Key") }
        #expect(keys.contains("m1"))
    }

    @Test("list an event that is nested as deeply as a call may be, over the bridge and on the command line")
    func deep() async throws {
        try await client.call("init", ["925", backend.config(folder)])
        let levels = 125
        let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let data = JSONValue(try JSONText(validating: #"{"deep":\#(value)}"#))
        #expect(try await client.call("track", ["BAD", data])["status"] == "queued")
        try await client.call("track", ["BAD2"])
        #expect(try await client.call("flush")["remaining"] == 0)

        let events = try await list()

        #expect(events.map { $0["event"] } == ["BAD", "BAD2"])
        #expect(events.first?["body"]?["data"] == data)
        let command = try HostProcess(["--list-refused", folder.path("state")])
        let output = try await onThread { command.output.reader.readAll() }
        #expect(try JSONText(validating: output, maxDepth: 200).value(forKey: "events")?.elements.count == 2)
        #expect(try await command.end() == .code(0))
    }

    @Test("take a filter by every member, and say what is wrong with one")
    func filters() async throws {
        try await refuse()
        let counts: [(JSONValue, Int)] = [
            ([:], 3), (["client": "analytics"], 1), (["events": ["BAD", "BAD3"]], 2), (["statuses": [422]], 3),
            (["statuses": [400]], 0), (["reasons": ["rejected"]], 3), (["reasons": ["tooLarge", "poison"]], 0),
            (["messageIds": ["m1"]], 1), (["since": "2020-01-01T00:00:00Z"], 3), (["until": "2020-01-01T00:00:00Z"], 0),
        ]
        for (filter, count) in counts { #expect(try await list(filter).count == count, "\(filter)") }

        let wrong: [(JSONValue, String)] = [
            (["status": 422], "'filter.status' is not known; did you mean 'statuses'?"),
            (["statuses": 422], "'filter.statuses' must be an array"),
            (["client": "x"], "'filter.client' must be 'tracker' or 'analytics' or 'basic'"),
            (["since": "yesterday"], "'filter.since' must be a date and time with its zone"),
            (["messageIds": [""]], "'filter.messageIds' must be an array of message ids"),
            (["messageIds": []], "'filter.messageIds' must name at least one; without it all are meant"),
            (["messageIds": nil], "'filter.messageIds' must be an array"),
            (["client": nil], "'filter.client' must be 'tracker' or"),
            (["since": nil], "'filter.since' must be a date and time with its zone"),
        ]
        for (filter, sentence) in wrong {
            let failure = await #expect(throws: BridgeFailure.self) { try await client.call("refused.list", [filter]) }
            #expect(failure?.code == "INVALID_PARAMS" && failure?.message.contains(sentence) == true, "\(filter)")
        }
    }

    @Test("the host lists, queues and removes them in a folder, beside a process that uses it")
    func folder() async throws {
        try await refuse()
        func run(_ arguments: String...) async throws -> (Program.Ending, JSONValue, [String]) {
            let host = try HostProcess(arguments)
            let output = try await onThread { String(decoding: host.output.reader.readAll(), as: UTF8.self) }
            return (try await host.end(), try JSONValue(JSONText(validating: Array(output.utf8))), host.log.all)
        }

        let path = folder.path("state")
        let (ending, list, _) = try await run("--list-refused", path, "--filter", #"{"events": ["BAD", "BAD3"]}"#)
        #expect(ending == .code(0))
        #expect(list["events"]?.arrayValue?.map { $0["client"] } == ["tracker", "basic"])
        #expect(list["events"]?[0]?["origin"] == .string(backend.server.url))

        mended.record(true)
        #expect(try await run("--retry-refused", path, "--filter", #"{"client": "tracker"}"#).1 == ["requeued": 1])
        // The process that has the queue finds it at its next call.
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(backend.server.requests.last?.header("Idempotency-Key") == "m1")
        #expect(try await run("--drop-refused", path).1 == ["dropped": 2])
        #expect(try await self.list().isEmpty)

        let wrong = try HostProcess(["--list-refused", path, "--filter", #"{"x": 1}"#])
        #expect(try await wrong.end() == .code(64))
        #expect(try await wrong.log.values(atLeast: 1)[0].contains("'filter.x' is not known"))

        let read = try HostProcess(["--list-refused", path + "/none", "--log-format", "json"])
        #expect(try await read.end() == .code(1))
        let failure = try JSONText(validating: Array(try await read.log.values(atLeast: 1)[0].utf8))
        #expect(failure.value(forKey: "message")?.stringValue?.hasPrefix("the state folder \(path)/none ") == true)
    }
}
