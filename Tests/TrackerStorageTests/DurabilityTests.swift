import TestSupport
import Testing

@testable import TrackerStorage

@Suite("Durability")
struct DurabilityTests {
    @Test(
        "full syncs every commit, process leaves that to the log",
        arguments: zip([OutboxConfiguration.Durability.process, .full], [1, 2] as [Int64]))
    func syncs(durability: OutboxConfiguration.Durability, synchronous: Int64) throws {
        let folder = try TemporaryDirectory()
        let connection = try Connection(folder.path("tracker.sqlite3"), .create)

        try Schema.configure(connection, durability: durability)

        // SQLite's own words for NORMAL and FULL.
        #expect(try connection.number("PRAGMA synchronous") == synchronous)
        #expect(try connection.number("PRAGMA fullfsync") == (durability == .full ? 1 : 0))
    }
}
