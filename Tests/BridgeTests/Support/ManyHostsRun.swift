import Foundation
import TestSupport
import TrackerModels

@testable import TrackerStorage

/// Has several hosts work on one state folder at once, kills them one after the other, and keeps account of what they
/// acknowledged.
///
/// What a killed host left unanswered is sent again to another under the same message id.
struct ManyHostsRun {
    /// One call, and the host that took it.
    private struct Call {
        let name: String
        let answer: Answer
    }

    /// A host that runs, and what it was given.
    private struct Worker {
        let client: BridgeClient
        let start: Answer
        var calls: [Call] = []
    }

    private let folder: TemporaryDirectory
    private let backend: FaultyBackend
    private var random: SeededGenerator
    private var workers: [Worker] = []
    private var unanswered: [String] = []
    private var count = 0
    private var kills = 0
    private var acknowledged: Set<String> = []
    /// What had a session, or got one at once, when it was acknowledged.
    private var bound: Set<String> = []
    private var resets: [ManyHostsReport.Reset] = []
    private var denials: [ManyHostsReport.Denial] = []
    /// The names that one host acknowledged, in the order of the calls, but for those that were sent again.
    private var series: [[String]] = []
    private var resent: Set<String> = []

    /// - Parameters:
    ///   - seed: Where all chance begins.
    ///   - hosts: How many run at once.
    init(seed: UInt64, hosts: Int) throws {
        folder = try TemporaryDirectory()
        backend = try FaultyBackend(seed: ~seed)
        random = SeededGenerator(seed: seed)
        for _ in 0..<hosts { try addHost() }
    }

    /// Tracks through all hosts, and kills one of them at some point.
    mutating func kill() async throws {
        for name in unanswered {
            resent.insert(name)
            track(name)
        }
        unanswered = []
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            count += 1
            track("call-\(count)")
        }
        let index = Int.random(in: 0..<workers.count, using: &random)
        let victim = workers[index]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            // At once: some of it is not even read.
            break
        case 1:
            // When it is ready, or has failed to be: an init that the backend fails is one of the things that happen.
            _ = try await victim.start.failure
        case 2:
            if let call = victim.calls.randomElement(using: &random) { _ = try await call.answer.failure }
        default:
            // When it has sent what it can.
            _ = try await victim.client.start("flush", [200]).failure
        }
        victim.client.host.signal(SIGKILL)
        _ = try await victim.client.host.end()
        kills += 1
        workers.remove(at: index)
        try await close(victim)
        try addHost()
    }

    /// Leaves the user in one of the hosts, once everything that was asked of all of them is answered.
    mutating func reset() async throws {
        let before = try await settled()
        let index = Int.random(in: 0..<workers.count, using: &random)
        try await workers[index].client.call("reset")
        resets.append(ManyHostsReport.Reset(before: before, firstAfter: count + 1))
    }

    /// Has a user deny and then grant consent, each in one of the hosts, once everything asked before is answered.
    ///
    /// - Returns: What all hosts answer to calls in between.
    mutating func deny() async throws -> [JSONValue] {
        let before = try await settled()
        let queuedUnanswered = try queuedUnanswered()
        try await workers[Int.random(in: 0..<workers.count, using: &random)].client.call("setConsent", ["denied"])
        denials.append(
            ManyHostsReport.Denial(before: before.union(queuedUnanswered), requests: backend.deliveries.count))
        resets.append(ManyHostsReport.Reset(before: before, firstAfter: count + 1))
        var outcomes: [JSONValue] = []
        for worker in workers { outcomes.append(try await worker.client.call("track", ["REFUSED"])) }
        try await workers[Int.random(in: 0..<workers.count, using: &random)].client.call("setConsent", ["granted"])
        return outcomes
    }

    /// Waits until everything is answered that was asked of the hosts.
    ///
    /// - Returns: The names of all calls that have been answered so far.
    private func settled() async throws -> Set<String> {
        for worker in workers {
            _ = try await worker.start.failure
            for call in worker.calls { _ = try await call.answer.failure }
        }
        return acknowledged.union(workers.flatMap { $0.calls.map(\.name) })
    }

    /// Calls that a host had queued when it was killed, and had not answered: a denial deletes them, and a repeat is
    /// answered as the first would have been.
    private func queuedUnanswered() throws -> Set<String> {
        let state = StateFolder(path: folder.path("state"))
        guard FileManager.default.fileExists(atPath: state.database) else { return [] }
        let connection = try Connection(state.database, .readOnly)
        connection.setPatience(milliseconds: Connection.busyTimeout)
        var queued: Set<String> = []
        try connection.prepare("SELECT message_id FROM caller_key WHERE kind = 0").rows { row in
            queued.insert(row.text("message_id") ?? "")
            return true
        }
        return queued.intersection(unanswered)
    }

    /// Lets the server take everything, and all hosts send what they have.
    mutating func finish() async throws -> ManyHostsReport {
        backend.behave()
        for name in unanswered {
            resent.insert(name)
            track(name)
        }
        unanswered = []
        for worker in workers { try await close(worker) }
        var remaining: [JSONValue] = []
        var accounts: [JSONValue] = []
        for worker in workers {
            var report: JSONValue
            var rounds = 0
            repeat {
                // A wait that a fault has left behind ends a flush, and so does a long queue.
                try await worker.client.call("networkDidChange")
                report = try await worker.client.call("flush", [60_000])
                rounds += 1
            } while report["stoppedBy"] != nil && rounds < 5 + count / 500
            remaining.append(report["remaining"] ?? .null)
            accounts.append(try await worker.client.call("getDebugInfo")["account"] ?? .null)
        }
        for worker in workers { try await worker.client.finish() }
        return ManyHostsReport(
            count: count, kills: kills, acknowledged: acknowledged, bound: bound, unanswered: unanswered,
            resent: resent, series: series, resets: resets, denials: denials, deliveries: backend.deliveries,
            remaining: remaining,
            accounts: accounts)
    }

    private mutating func addHost() throws {
        let client = try BridgeClient()
        workers.append(Worker(client: client, start: client.start("init", ["925", backend.config(folder)])))
    }

    private mutating func track(_ name: String) {
        let index = Int.random(in: 0..<workers.count, using: &random)
        let text = JSONValue.string(name)
        let answer = workers[index].client.start("track", ["eventName": text, "messageId": text])
        workers[index].calls.append(Call(name: name, answer: answer))
    }

    /// Notes what a host has answered.
    private mutating func close(_ worker: Worker) async throws {
        var names: [String] = []
        for call in worker.calls {
            if try await call.answer.failure == nil {
                acknowledged.insert(call.name)
                if try await call.answer.value["status"] == "queued" { bound.insert(call.name) }
                if !resent.contains(call.name) { names.append(call.name) }
            } else {
                unanswered.append(call.name)
            }
        }
        series.append(names)
    }
}

/// What came of killing hosts that work side by side.
struct ManyHostsReport: CustomStringConvertible {
    /// A reset, seen from outside.
    struct Reset {
        /// Calls that were answered before it.
        let before: Set<String>
        /// The number of the first call after its answer.
        let firstAfter: Int
    }

    /// A denial, seen from outside.
    struct Denial {
        /// Calls that were answered before it, or queued by a host that was killed before it had answered.
        let before: Set<String>
        /// How many requests had come when it was answered.
        let requests: Int
    }

    let count: Int
    let kills: Int
    let acknowledged: Set<String>
    let bound: Set<String>
    let unanswered: [String]
    let resent: Set<String>
    let series: [[String]]
    /// Resets, and denials, which leave the user as well.
    let resets: [Reset]
    let denials: [Denial]
    let deliveries: [FaultyBackend.Delivery]
    /// What each of the last hosts still had.
    let remaining: [JSONValue]
    /// The books of the last hosts.
    let accounts: [JSONValue]

    /// What the server took, each where it took it first.
    private var taken: [FaultyBackend.Delivery] {
        var seen: Set<String> = []
        return deliveries.filter { $0.isTaken && seen.insert($0.key).inserted }
    }

    /// How many different events the server took.
    var takenCount: Int { taken.count }

    /// What was acknowledged and never taken.
    var lost: Set<String> { acknowledged.subtracting(taken.map(\.key)) }

    /// What was acknowledged as bound to a session and never taken.
    var lostBound: Set<String> { bound.subtracting(taken.map(\.key)) }

    /// What was acknowledged and never taken, but for what a denial deleted.
    var lostUndenied: Set<String> { denials.reduce(lost) { $0.subtracting($1.before) } }

    /// How many requests came, at most after one denial, for what it deleted.
    var requestsAfterDenial: Int {
        denials.map { denial in deliveries.dropFirst(denial.requests).count { denial.before.contains($0.key) } }.max()
            ?? 0
    }

    /// Sessions that events carry from before a reset and from after it.
    var sessionsAcrossResets: Set<String> {
        let sessions = Dictionary(grouping: deliveries, by: \.key).mapValues { Set($0.map(\.session)) }
        return resets.reduce(into: []) { found, reset in
            let before = reset.before.reduce(into: Set<String>()) { $0.formUnion(sessions[$1] ?? []) }
            let later = (min(reset.firstAfter, count + 1)..<count + 1).map { "call-\($0)" }.filter {
                !resent.contains($0)
            }
            found.formUnion(later.reduce(into: Set<String>()) { $0.formUnion(sessions[$1] ?? []) }.intersection(before))
        }
    }

    /// How often the server took an event that it had.
    var repeats: Int { deliveries.count(where: \.isTaken) - taken.count }

    /// What was taken after something of a higher number.
    var outOfOrder: [String] {
        var latest = 0
        return taken.filter { delivery in
            let number = Int(delivery.sequence) ?? 0
            defer { latest = max(latest, number) }
            return number <= latest
        }.map { "\($0.key) (\($0.sequence))" }
    }

    /// What one host was given later than something of a higher number.
    var overtaken: [String] {
        let numbers = Dictionary(taken.map { ($0.key, Int($0.sequence) ?? 0) }) { first, _ in first }
        return series.flatMap { names in
            let known = names.compactMap { name in numbers[name].map { (name: name, number: $0) } }
            return zip(known, known.dropFirst()).filter { $0.number >= $1.number }.map { "\($0.name), \($1.name)" }
        }
    }

    /// Events that came under the number of another, or under two.
    var underOtherNumbers: Set<String> {
        var numbers: [String: String] = [:]
        var keys: [String: String] = [:]
        return Set(
            deliveries.filter { delivery in
                let number = numbers[delivery.key, default: delivery.sequence]
                let key = keys[delivery.sequence, default: delivery.key]
                numbers[delivery.key] = number
                keys[delivery.sequence] = key
                return number != delivery.sequence || key != delivery.key || delivery.name != delivery.key
            }.map(\.key))
    }

    var description: String {
        "\(count) calls, \(kills) kills, \(deliveries.count) requests, \(deliveries.count { !$0.isTaken }) failed by the "
            + "server, \(repeats) repeated"
    }
}
