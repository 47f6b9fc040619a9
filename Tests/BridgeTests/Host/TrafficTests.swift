import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The host under load", .serialized)
struct TrafficTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend { $0.path == "/v2/tracking-session" ? nil : .status(503) }
    }

    /// A message that initialises, with nothing delivered meanwhile.
    private func initialization(_ more: JSONObject = [:]) -> String {
        var waits: JSONObject = ["retryDelayMs": 60_000, "cooldownMs": 60_000, "maxCooldownMs": 60_000]
        waits.merge(more)
        let params: JSONValue = ["925", backend.config(folder, waits)]
        return #"{"jsonrpc":"2.0","id":0,"method":"init","params":\#(params)}"# + "\n"
    }

    private static func track(_ number: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(number),"method":"track","params":["E\#(number)",{"total":149.99,"n":\#(number)}]}"#
            + "\n"
    }

    @Test("takes 100,000 calls before a single answer is read")
    func writesFirst() async throws {
        let host = try HostProcess(HostProcess.patience)
        let calls = initialization() + (1...100_000).map(Self.track).joined()

        // Returns when the host has taken all of it: nothing is read until then.
        let wasTaken = try await withGuard(seconds: 60, "taking the calls") {
            try await onThread { host.input.writer.write(Array(calls.utf8)) }
        }
        let resident = try host.residentBytes()
        host.input.writer.close()
        let answers = try await withGuard(seconds: 60, "answering the calls") {
            try await onThread { host.output.reader.readAll() }
        }

        #expect(wasTaken)
        let lines = answers.split(separator: 0x0A)
        #expect(lines.count == 100_001)
        let wanted = Array(#""result":{"status":"#.utf8)
        #expect(
            lines.count { $0.firstRange(of: wanted) != nil && $0.firstRange(of: Array("dropped".utf8)) == nil }
                == 100_000)
        #expect(resident < 128 << 20)
        #expect(try await host.end() == .code(0))
    }

    @Test("answers each of the 100,000 calls of a batch with its outcome")
    func largestBatch() async throws {
        let host = try HostProcess(HostProcess.patience)
        let batch = (1...100_000).map { String(Self.track($0).dropLast()) }.joined(separator: ",")
        let calls = initialization() + "[\(batch)]\n"

        let answers = try await withGuard(seconds: 60, "answering the batch") {
            try await onThread {
                host.input.writer.write(Array(calls.utf8))
                host.input.writer.close()
                return host.output.reader.readAll()
            }
        }

        let text = String(decoding: answers, as: UTF8.self)
        #expect(text.components(separatedBy: #""result":{"status":""#).count == 100_001)
        #expect(!text.contains("dropped") && !text.contains("error"))
        #expect(try await host.end() == .code(0))
    }

    @Test("stays small while a client writes and never reads")
    func neverRead() async throws {
        let host = try HostProcess(["--shutdown-timeout", "300"])
        let call = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8 + [0x0A])

        // Answers are long, so that the host soon stops reading: its input stays full then.
        try await withGuard(seconds: 60, "the pause") {
            try await onThread { while host.input.writer.isWritable(within: 500) { host.input.writer.write(call) } }
        }

        #expect(try host.residentBytes() < 96 << 20)
        host.signal(SIGTERM)
        #expect(try await host.end() == .code(0))
    }

    @Test("skips a message of 64 MiB in constant memory, and answers the next")
    func hugeLine() async throws {
        let client = try BridgeClient()
        try await client.call("host.info")
        let before = try client.host.residentBytes()
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

        _ = try await onThread { (0..<64).allSatisfy { _ in client.host.input.writer.write(chunk) } }
        client.send("")

        let refusal = try await client.others.values(atLeast: 1)[0]
        #expect(refusal["id"] == .null && refusal["error"]?["code"] == -32600)
        #expect(refusal["error"]?["data"]?["code"] == "MESSAGE_TOO_LARGE")
        #expect(try await client.call("host.info")["name"] == "BridgeHost")
        #expect(try client.host.residentBytes() < before + 32 << 20)
    }

    @Test("skips what is too long in constant memory, however much it is", arguments: BridgeClient.Framing.allCases)
    func skipsInConstantMemory(framing: BridgeClient.Framing) async throws {
        let client = try BridgeClient(["--max-message-bytes", "\(1 << 20)"], framing: framing)
        try await client.call("host.info")
        let before = try client.host.peakBytes()
        let size = 512 << 20
        let piece = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)

        try await onThread { [input = client.host.input.writer] in
            if framing == .headers { input.write(Array("Content-Length: \(size)\r\n\r\n".utf8)) }
            for _ in 0..<size / piece.count { input.write(piece) }
            if framing == .lines { input.write([0x0A]) }
        }

        #expect(try await client.call("host.info")["name"] == "BridgeHost")
        #expect(client.others.all.map { $0["error"]?["data"]?["code"] } == ["MESSAGE_TOO_LARGE"])
        #expect(client.others.all.map { $0["id"] } == [.null])
        #expect(try client.host.peakBytes() < before + 32 << 20)
    }

    @Test(
        "takes little memory for a message of many values", arguments: ["[1,1%]", "[%]", #"{"params":[1,1%]}"#, "{%}"])
    func boundsOutline(_ template: String) async throws {
        let value = template.contains("{%}") ? #""":1,"# : "1,"
        let values = String(repeating: value, count: (8 << 20) / value.utf8.count)
        let message = template.replacingOccurrences(of: "%", with: values + value.dropLast())
        let client = try BridgeClient()
        try await client.call("host.info")
        let before = try client.host.peakBytes()

        try await onThread { client.send(message) }

        #expect(try await client.others.values(atLeast: 1)[0].description.contains("error"))
        #expect(try client.host.peakBytes() < before + 200 << 20)
    }

    @Test("five million open brackets are one bad message")
    func brackets() async throws {
        let client = try BridgeClient()

        let message = String(repeating: "[", count: 5_000_000)
        try await onThread { client.send(message) }

        let refusal = try await client.others.values(atLeast: 1)[0]
        #expect(refusal["error"]?["code"] == -32700)
        #expect(try await client.call("host.info")["name"] == "BridgeHost")
    }

    @Test("commits many calls at once, and answers each")
    func coalesces() async throws {
        let client = try BridgeClient()
        try await client.call("init", ["925", backend.config(folder, ["durability": "full"])])

        let answers = (1...3_000).map { client.start("track", ["E\($0)"]) }

        for answer in answers { #expect(try await answer.value["status"] == "queued") }
        #expect(try await client.call("getDebugInfo")["account"]?["accepted"] == 3_000)
    }

    @Test("delivers 5,000 analytics and 1,000 basic calls that were not awaited")
    func unawaited() async throws {
        let analyticsNames = Recorder<String>()
        let basicNames = Recorder<String>()
        let taking = try Backend { request in
            if request.path == "/basic" {
                for event in request.json.arrayValue ?? [] { basicNames.record(event["name"]?.stringValue ?? "") }
            } else {
                for event in request.json["batch"]?.arrayValue ?? [] {
                    analyticsNames.record(event["event"]?.stringValue ?? "")
                }
            }
            return .status(200)
        }
        let options: JSONObject = ["storageDirectory": .string(folder.path("state"))]
        let client = try BridgeClient()
        var analytics = options
        analytics.merge(["writeKey": "wk", "ingestionHost": .string(taking.server.url)])
        client.start("analytics.initialize", ["options": .object(analytics)])
        client.start(
            "basic.initialize",
            ["apiKey": "k", "endpoint": .string(taking.server.url + "/basic"), "options": .object(options)])

        let tracked = (0..<5_000).map { client.start("analytics.track", ["A\($0)"]) }
        let basic = (0..<1_000).map { client.start("basic.track", ["B\($0)"]) }
        for answer in tracked + basic { #expect(try await answer.value["status"] == "queued") }
        #expect(try await client.call("analytics.flush", [60_000])["remaining"] == 0)

        #expect(try await analyticsNames.values(atLeast: 5_000) == (0..<5_000).map { "A\($0)" })
        #expect(try await basicNames.values(atLeast: 1_000) == (0..<1_000).map { "B\($0)" })
        #expect(try await client.finish() == .code(0))
    }

    @Test("keeps 12,000 calls of an outage, and refuses what a full queue cannot hold without touching the rest")
    func outage() async throws {
        let client = try BridgeClient()
        client.send(initialization(["maxQueuedEvents": 12_000]))

        let kept = (1...12_000).map { client.start("track", ["E\($0)"]) }
        let last = try await client.call("track", ["LAST"])
        for answer in kept { #expect(try await answer.value["status"] != "dropped") }
        let info = try await client.call("getDebugInfo")

        #expect(last == ["status": "dropped", "reason": "QUEUE_FULL"])
        #expect(info["queueLength"] == 12_000)
        #expect(info["account"]?["dropped"] == [:])
        #expect(info["config"]?["delivery"]?["overflow"] == .null)
    }

    @Test("a log without a reader stops nothing")
    func unreadLog() async throws {
        // The pipe has no reader: the reading end of this process is closed in the child alone.
        let host = try HostProcess(HostProcess.patience, readsLog: false)
        let client = BridgeClient(host)

        let answers = (1...5_000).map { client.start("track", ["EVENT NUMBER \($0), DROPPED WITH A WARNING"]) }

        for answer in answers { #expect(try await answer.value["reason"] == "NOT_INITIALIZED") }
        #expect(try await client.finish() == .code(0))
    }
}
