import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A host that is killed")
struct CrashTests {
    @Test("loses nothing that it acknowledged, keeps the order, and takes what is sent again once")
    func killed() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("CrashTests seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let config = backend.config(folder)
        var count = 0
        var unanswered: [Int] = []
        var acknowledged: Set<String> = []

        for _ in 1...50 {
            let new = Int.random(in: 1...40, using: &random)
            let calls = unanswered + (count + 1...count + new)
            count += new
            let client = try BridgeClient()
            client.start("init", ["925", config])
            let answers = calls.map { number -> (Int, Answer) in
                let id = "call-\(number)"
                return (number, client.start("track", ["eventName": .string(id), "messageId": .string(id)]))
            }
            // A kill after so many answers hits writing, committing, delivering and answering alike.
            let survivors = Int.random(in: 0...answers.count, using: &random)
            if survivors > 0 { _ = try await answers[survivors - 1].1.value }
            client.host.signal(SIGKILL)
            #expect(try await client.host.end() == .signal(SIGKILL))
            unanswered = []
            for (number, answer) in answers {
                if try await answer.failure == nil {
                    acknowledged.insert("call-\(number)")
                } else {
                    unanswered.append(number)
                }
            }
        }
        let last = try BridgeClient()
        try await last.call("init", ["925", config])
        for number in unanswered {
            let id = JSONValue.string("call-\(number)")
            try await last.call("track", ["eventName": id, "messageId": id])
        }
        #expect(try await last.call("flush")["remaining"] == 0)

        var seen: Set<String> = []
        let delivered = backend.server.requests.compactMap { request -> String? in
            guard request.path == "/v2/tracking-session-data" else { return nil }
            #expect(request.json["event_name"]?.stringValue == request.header("Idempotency-Key"))
            return request.header("Idempotency-Key")
        }.filter { seen.insert($0).inserted }
        #expect(acknowledged.isSubset(of: seen))
        #expect(delivered == (1...count).map { "call-\($0)" })
        #expect(try await last.call("getDebugInfo")["account"]?["dropped"] == [:])
    }
}
