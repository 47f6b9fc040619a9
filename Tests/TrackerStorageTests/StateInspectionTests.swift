import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Inspecting a state folder", .closingOutboxes)
struct StateInspectionTests {
    let folder = TemporaryFolder()

    @Test("tells of each lane what waits in it, beside an outbox that is open")
    func lanes() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("a1"), .bind(1, "s1"), .append("a2")])
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: .endpoint("b")))

        let state = try StateInspection(StateFolder(path: folder.path))

        #expect(state.schema == Int(Schema.version))
        #expect(state.lanes.map(\.identity) == [.sample, .endpoint("b")])
        let lane = try #require(state.lanes.first)
        #expect(lane.queued == 2)
        #expect(lane.queuedBytes == (try outbox.state()).queuedBytes)
        #expect(lane.oldest != nil)
        #expect(lane.hasSession)
        #expect(lane.accepted == 2)
        #expect(state.lanes[1].oldest == nil)
        #expect(other.acquireDelivery())
    }

    @Test("counts what waits for a session")
    func pending() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("a1"), .append("a2")])

        let lane = try #require(try StateInspection(StateFolder(path: folder.path)).lanes.first)

        #expect(lane.pending == 2)
        #expect(!lane.hasSession)
    }

    @Test("makes nothing where there is nothing")
    func missing() throws {
        let path = folder.file("none")

        let state = try StateInspection(StateFolder(path: path))

        #expect(state.schema == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("says that a file is no database")
    func damaged() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data("no database at all, but long enough to be read as one".utf8)
            .write(to: URL(fileURLWithPath: folder.file(StateFolder.databaseName)))

        #expect(throws: StorageError.self) { try StateInspection(StateFolder(path: folder.path)) }
    }
}
