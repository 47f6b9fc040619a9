import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Generated damage", .closingOutboxes)
struct GeneratedDamageTests {
    private static let seeds: [UInt64] = {
        let first = Seeds.base(of: "Generated damage")
        // With the first, a rewritten database is still damaged, which only the backups after it find.
        return [803_286_772] + (0..<60).map { first &+ $0 }
    }()

    @Test("never keeps an outbox from opening, from taking records, or from balancing its books", arguments: seeds)
    func survives(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let folder = TemporaryFolder()
        let count = try await fill(folder, using: &generator)
        let harm = try damage(folder, using: &generator)
        let what = "Seed \(seed), \(count) records, \(harm)"

        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        var taken: [String] = []
        for number in 1...6 {
            // A read that comes across damage fails, and the next finds what was made of it.
            let records = try? outbox.peek(limit: 20, maxBytes: .max).records
            if let old = records?.filter({ !$0.messageID.text.hasPrefix("new") }) {
                await outbox.commit(.delivered(old))
            }
            if number == 4 { await outbox.commit(.reset(all: false, messageID: nil)) }
            let result = await outbox.commit(.append("new\(number)", given: true))
            if result.state != nil { taken.append("new\(number)") }
        }
        _ = try? outbox.peek(limit: .max, maxBytes: .max)
        await outbox.commit(.barrier)

        #expect(taken.count == 6, "\(what)")
        let records = try await reading(outbox, what) { try outbox.peek(limit: .max, maxBytes: .max).records }
        let ids = records.map(\.messageID.text)
        #expect(Array(ids.suffix(3)) == ["new4", "new5", "new6"], "\(what)")
        #expect(records.map(\.sequence) == records.map(\.sequence).sorted(), "\(what)")
        #expect(Set(records.map(\.sequence)).count == records.count, "\(what)")
        #expect(try await reading(outbox, what) { try outbox.account().isBalanced }, "\(what)")
        #expect(try await reading(outbox, what) { try outbox.state().queuedRecords } == records.count, "\(what)")
        await outbox.close()

        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.queue() == ids, "\(what)")
        // Pages that were not used may still be damaged. A denial rewrites everything.
        #expect(await again.commit(.consent(.denied, messageID: nil)).state?.consent == .denied, "\(what)")
        #expect(try await reading(again, what) { try again.account().isBalanced && again.queue().isEmpty }, "\(what)")
        await again.close()
        #expect(try folder.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
    }

    /// Reads, again after what was found is mended: a read that comes across damage fails, and has it looked into.
    private func reading<Result>(
        _ outbox: SQLiteOutbox, _ what: String, _ body: () throws -> Result
    ) async throws -> Result {
        for _ in 0..<2 {
            if let result = try? body() { return result }
            await outbox.commit(.barrier)
        }
        do {
            return try body()
        } catch {
            Issue.record("\(what): \(error)")
            throw error
        }
    }

    /// Has a process write records and die, so that some are in the database and some in its log.
    private func fill(_ folder: TemporaryFolder, using generator: inout SeededGenerator) async throws -> Int {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        let count = Int.random(in: 1...120, using: &generator)
        for number in 1...count {
            let size = Int.random(in: 0...6000, using: &generator)
            #expect(try await probe.ask("append m\(number) \(size)") == "pending")
        }
        if Bool.random(using: &generator) { #expect(try await probe.ask("bind s1") == "done") }
        if Bool.random(using: &generator) { try probe.tell("close") } else { probe.kill() }
        probe.end()
        return count
    }

    /// Writes over parts of the database, of its log, of its index or of a backup, or cuts them short.
    private func damage(_ folder: TemporaryFolder, using generator: inout SeededGenerator) throws -> String {
        var harm: [String] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let names = folder.files.filter { !$0.hasSuffix(".lock") }
            guard let name = names.randomElement(using: &generator) else { break }
            var data = try folder.read(name)
            guard !data.isEmpty else { continue }
            let start = Int.random(in: 0..<data.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                data = data.prefix(start)
                harm.append("\(name) cut at \(start)")
            case 1:
                let end = min(data.count, start + Int.random(in: 1...20_000, using: &generator))
                data.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
                harm.append("\(name) zeroed in \(start)..<\(end)")
            default:
                let end = min(data.count, start + Int.random(in: 1...9000, using: &generator))
                for index in start..<end { data[index] = UInt8.random(in: 0...255, using: &generator) }
                harm.append("\(name) garbled in \(start)..<\(end)")
            }
            try folder.write(data, to: name)
        }
        return harm.joined(separator: ", ")
    }
}
