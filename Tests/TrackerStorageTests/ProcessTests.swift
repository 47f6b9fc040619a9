import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Processes", .closingOutboxes, .serialized)
struct ProcessTests {
    let folder = TemporaryFolder()

    private var configuration: OutboxConfiguration {
        .sample(folder) { $0.limits.maxRecords = 1_000_000 }
    }

    @Test("that are killed lose nothing they acknowledged, and leave the books balanced", arguments: 0..<10)
    func survivesKills(round: Int) async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        try probe.tell("run m")
        let patience = Int.random(in: 0..<1500)
        var acknowledged: [String] = []
        while acknowledged.count <= patience, let line = probe.nextLine() { acknowledged.append(line) }
        probe.kill()
        acknowledged += probe.rest()

        let outbox = try await SQLiteOutbox.opened(configuration)

        let records = try outbox.peek(limit: .max, maxBytes: .max).records
        #expect(records.prefix(acknowledged.count).map(\.messageID.text) == acknowledged)
        #expect(records.map(\.messageID.text) == (1...records.count).map { "m\($0)" })
        #expect(records.map(\.sequence) == (1...Int64(records.count)).map { $0 })
        #expect(try outbox.account().isBalanced)
        #expect(try outbox.account().recovered == records.count)
        #expect(outbox.acquireDelivery())
    }

    @Test("that fork make no id twice, in neither of the two")
    func forks() async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("fork") == "distinct")
    }

    @Test("that are killed while they deliver repeat at most what they had not acknowledged")
    func survivesKillsWhileDelivering() async throws {
        let writer = try ProbeProcess()
        #expect(try await writer.ask("open \(folder.path)") == "open writable")
        try writer.tell("run m")
        var sent: [String] = []
        var done: Set<String> = []
        for _ in 0..<5 {
            let deliverer = try ProbeProcess()
            #expect(try await deliverer.ask("open \(folder.path)") == "open writable")
            #expect(try await deliverer.ask("lock") == "yes")
            try deliverer.tell("deliver")
            var lines: [String] = []
            while lines.count < 100, let line = deliverer.nextLine() { lines.append(line) }
            deliverer.kill()
            lines += deliverer.rest()
            let own = lines.filter { $0.hasPrefix("sent ") }.map { String($0.dropFirst(5)) }
            #expect(done.isDisjoint(with: own), "What was acknowledged came again")
            done.formUnion(lines.filter { $0.hasPrefix("done ") }.map { String($0.dropFirst(5)) })
            sent += own
        }
        #expect(done.count >= 100)
        writer.kill()
        let acknowledged = writer.rest()

        let outbox = try await SQLiteOutbox.opened(configuration)
        let all = sent + (try outbox.queue())
        // Repeats removed, it is the accepted order, and nothing is missing.
        var seen: Set<String> = []
        let order = all.filter { seen.insert($0).inserted }
        #expect(order == (1...order.count).map { "m\($0)" })
        #expect(order.count >= acknowledged.count)
        #expect(try outbox.account().isBalanced)
    }

    @Test("obey a denial and a reset in another before anything else")
    func obeyEachOther() async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        let outbox = try await SQLiteOutbox.opened(configuration)
        await outbox.commit(.append("m1"))
        #expect(try await probe.ask("queue") == "m1")

        await outbox.commit(.reset(all: false, messageID: nil))
        #expect(try await probe.ask("state") == "2 granted none settled")
        #expect(try await probe.ask("session") == "none")
        #expect(try await probe.ask("append m2") == "pending")
        #expect(try await probe.ask("deny") == "done")

        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.queue().isEmpty)
        #expect(await outbox.commit(.append("m3")).summary == "refused trackingNotAllowed")
    }

    @Test("give the right to deliver back when they die")
    func releaseLocks() async throws {
        let outbox = try await SQLiteOutbox.opened(configuration)
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("lock") == "yes")
        #expect(!outbox.acquireDelivery())

        probe.kill()

        #expect(outbox.acquireDelivery())
    }

    @Test("that write at once all make progress, under either durability", arguments: ["", " full"])
    func shareFairly(durability: String) async throws {
        let probes = try (0..<4).map { _ in try ProbeProcess() }
        for probe in probes { #expect(try await probe.ask("open \(folder.path)\(durability)") == "open writable") }
        for (index, probe) in probes.enumerated() { try probe.tell("run \(index)-") }

        // The first process that was started waits for the last.
        var acknowledged = try await ProbeProcess.drain(probes) { lines in lines.allSatisfy { !$0.isEmpty } }
        #expect(acknowledged.allSatisfy { !$0.isEmpty })
        // The system may keep a process from its processor for one of these rounds; unfair locks show in all of them.
        var rounds: [[Int]] = []
        repeat {
            let further = try await ProbeProcess.drain(probes) { lines in lines.contains { $0.count >= 2000 } }
            for (index, lines) in further.enumerated() { acknowledged[index] += lines }
            rounds.append(further.map(\.count))
        } while !rounds.contains { $0.allSatisfy { $0 >= 100 } } && rounds.count < 10
        #expect(rounds.contains { $0.allSatisfy { $0 >= 100 } }, "\(rounds)")
        for probe in probes { probe.kill() }
        for (index, probe) in probes.enumerated() { acknowledged[index] += probe.rest() }

        let outbox = try await SQLiteOutbox.opened(configuration)
        let queue = try outbox.queue()
        #expect(Set(queue).count == queue.count)
        for (index, own) in acknowledged.enumerated() {
            #expect(queue.filter { $0.hasPrefix("\(index)-") }.prefix(own.count) == own[...])
        }
        #expect(try outbox.account().isBalanced)
    }

    @Test("that close a database which was set aside take nothing from the new one")
    func sparesNewLog() async throws {
        let old = try await SQLiteOutbox.opened(configuration)
        await old.commit([.bind(1, "s1"), .append("m1")])
        #expect(try old.queue() == ["m1"])
        try DamagedFiles(folder.state).moveDamaged()
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("append m2") == "queued")

        await old.close()
        probe.kill()

        let outbox = try await SQLiteOutbox.opened(configuration)
        #expect(try outbox.queue() == ["m1", "m2"])
    }

    @Test("outlive a damaged database that one of them sets aside")
    func surviveDamage() async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        for number in 1...20 { #expect(try await probe.ask("append m\(number)") == "queued") }
        try DamagedFiles(folder.state).moveDamaged()
        let outbox = try await SQLiteOutbox.opened(configuration)

        #expect(try await probe.ask("append m21") == "queued")

        #expect(try outbox.queue() == (1...21).map { "m\($0)" })
        #expect(try await probe.ask("queue") == (1...21).map { "m\($0)" }.joined(separator: " "))
    }
}
