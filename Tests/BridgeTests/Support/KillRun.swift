import Foundation
import TestSupport
import TrackerModels

/// Kills one host after the other under load, and keeps account of what they acknowledged.
///
/// All work on one state folder. What a host left unanswered is sent again to the next under the same message id.
struct KillRun {
    private let folder: TemporaryDirectory
    private let backend: FaultyBackend
    private var random: SeededGenerator
    private var count = 0
    private var unanswered: [Int] = []
    private var acknowledged: Set<String> = []
    private var resent = 0
    /// How many requests had come when each host had ended.
    private var ends: [Int] = []

    /// - Parameter seed: Where all chance begins.
    init(seed: UInt64) throws {
        folder = try TemporaryDirectory()
        backend = try FaultyBackend(seed: ~seed)
        random = SeededGenerator(seed: seed)
    }

    /// Starts a host, tracks up to 40 events and kills it at a random point.
    ///
    /// - Returns: How the host ended.
    mutating func kill() async throws -> Program.Ending {
        let new = Int.random(in: 1...40, using: &random)
        let calls = unanswered + (count + 1...count + new)
        count += new
        resent += unanswered.count
        let client = try BridgeClient()
        let start = client.start("init", ["925", backend.config(folder)])
        let answers: [Answer]
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            // While it delivers. That many requests are sure to come.
            let open = min(100, count - backend.takenCount)
            backend.kill(client.host, afterRequests: Int.random(in: 0..<open, using: &random))
            answers = calls.map { track($0, client) }
        case 1:
            // While it answers.
            answers = calls.map { track($0, client) }
            _ = try await answers[Int.random(in: 0..<answers.count, using: &random)].value
            client.host.signal(SIGKILL)
        default:
            // While it reads.
            _ = try await start.value
            let written = Int.random(in: 0...calls.count, using: &random)
            let first = calls.prefix(written).map { track($0, client) }
            client.host.signal(SIGKILL)
            answers = first + calls.dropFirst(written).map { track($0, client) }
        }
        let ending = try await client.host.end()
        ends.append(backend.deliveries.count)
        unanswered = []
        for (number, answer) in zip(calls, answers) {
            if try await answer.failure == nil {
                acknowledged.insert(Self.name(number))
            } else {
                unanswered.append(number)
            }
        }
        return ending
    }

    /// Sends the rest to a last host and a server without faults.
    ///
    /// - Returns: What came of the whole run.
    mutating func finish() async throws -> KillReport {
        backend.behave()
        resent += unanswered.count
        let client = try BridgeClient()
        try await client.call("init", ["925", backend.config(folder)])
        for answer in unanswered.map({ track($0, client) }) { _ = try await answer.value }
        let flush = try await client.call("flush")
        let account = try await client.call("getDebugInfo")["account"]
        try await client.finish()
        return KillReport(
            names: (0..<count).map { Self.name($0 + 1) }, acknowledged: acknowledged, resent: resent,
            deliveries: backend.deliveries, ends: ends, remaining: flush["remaining"], dropped: account?["dropped"]
        )
    }

    private func track(_ number: Int, _ client: BridgeClient) -> Answer {
        let name = JSONValue.string(Self.name(number))
        return client.start("track", ["eventName": name, "messageId": name])
    }

    private static func name(_ number: Int) -> String { "call-\(number)" }
}

/// What came of killing hosts.
struct KillReport: CustomStringConvertible {
    /// What was tracked, in its order.
    let names: [String]
    /// What hosts acknowledged before they were killed.
    let acknowledged: Set<String>
    /// How many calls were sent again to another host.
    let resent: Int
    /// The requests for events, repeats included.
    let deliveries: [FaultyBackend.Delivery]
    /// How many of them had come when each host was killed.
    let ends: [Int]
    /// What the last host still had.
    let remaining: JSONValue?
    /// What the last host dropped.
    let dropped: JSONValue?

    /// What the server took, each where it took it first.
    var taken: [String] {
        var seen: Set<String> = []
        return deliveries.filter { $0.isTaken && seen.insert($0.key).inserted }.map(\.key)
    }

    /// How many events at most came again, after the server had taken them, from the host that followed on a kill.
    var mostRepeats: Int {
        var seen: Set<String> = []
        var most = 0
        for (start, end) in zip([0] + ends, ends + [deliveries.count]) where start <= end {
            let taken = deliveries[start..<end].filter(\.isTaken).map(\.key)
            most = max(most, taken.count { seen.contains($0) })
            seen.formUnion(taken)
        }
        return most
    }

    /// What was acknowledged and never taken.
    var lost: Set<String> { acknowledged.subtracting(taken) }

    /// What was taken before something that was tracked earlier.
    var outOfOrder: [String] {
        let places = Dictionary(zip(names, 0...)) { $1 }
        var latest = -1
        return taken.filter { name in
            let place = places[name] ?? -1
            defer { latest = max(latest, place) }
            return place < latest
        }
    }

    /// Events that came under a key or a number of another, or under two.
    var underOtherKeys: Set<String> {
        var sequences: [String: String] = [:]
        var names: [String: String] = [:]
        let others = deliveries.filter { delivery in
            let sequence = sequences[delivery.key, default: delivery.sequence]
            let name = names[delivery.sequence, default: delivery.name]
            sequences[delivery.key] = sequence
            names[delivery.sequence] = name
            return delivery.name != delivery.key || delivery.sequence != sequence || delivery.name != name
        }
        return Set(others.map(\.name))
    }

    var description: String {
        let failed = deliveries.count { !$0.isTaken }
        return """
            \(names.count) calls, \(acknowledged.count) acknowledged by hosts that were killed, \(resent) sent again
            \(deliveries.count) requests, \(failed) failed by the server, \(deliveries.count - failed - taken.count) \
            repeated after an answer that a kill took away
            \(lost.count) acknowledged calls lost, \(outOfOrder.count) out of order, \(underOtherKeys.count) repeated \
            under another key
            """
    }
}
