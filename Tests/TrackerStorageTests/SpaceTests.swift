import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The space an outbox takes", .closingOutboxes)
struct SpaceTests {
    let folder = TemporaryFolder()

    private var size: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.state.database + suffix)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    @Test("is given back after an outage, and stays flat however much goes through")
    func staysFlat() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let body = #"{"text":"\#(String(repeating: "x", count: 1900))"}"#
        var largest = 0

        for round in 0..<6 {
            for start in stride(from: 0, to: 8000, by: 1000) {
                await outbox.commit((start..<start + 1000).map { .append("m\(round)-\($0)", body: body) })
            }
            largest = max(largest, size)
            while case let records = try outbox.peek(limit: 200, maxBytes: .max).records, !records.isEmpty {
                await outbox.commit(.delivered(records))
            }
            #expect(size < 12 << 20, "\(size) bytes after round \(round)")
        }

        #expect(largest > 16 << 20, "The queue was never large")
        #expect(largest < 48 << 20)
        #expect(try outbox.account().delivered == 48_000)
    }

    @Test("counts callers' ids: those of the last 10,000 that settled are known, those before forgotten")
    func forgetsIDs() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        for start in stride(from: 0, to: 10_001, by: 1000) {
            let numbers = start..<min(start + 1000, 10_001)
            await outbox.commit(numbers.map { .append("m\($0)", given: true) })
            await outbox.commit(.delivered(try outbox.records()))
        }

        let results = await outbox.commit([.append("m1", given: true), .append("m0", given: true)])

        #expect(results.map(\.summary) == ["pending", "pending"])
        #expect(try outbox.queue() == ["m0"])
        #expect(try folder.number("SELECT count(*) FROM caller_key") == 10_001)
    }
}
