import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("How a session is kept")
struct SessionKeepingTests {
    private struct Identity: Equatable {
        let session: String?
        let device: String?
        let email: String?

        init(_ tracker: MobileTracker) {
            (session, device, email) = (tracker.sessionId, tracker.deviceId, tracker.sessionEmail)
        }
    }

    /// Starts, stores something under every key, and stops.
    private func leave(_ fixture: SessionFixture) async throws -> Identity {
        try await fixture.start()
        await fixture.tracker.identify(userId: "user-1")
        await fixture.tracker.updateSessionEmail("a@b.example")
        await fixture.tracker.setMetadata(["tier": "gold"])
        await fixture.drain()
        let identity = Identity(fixture.tracker)
        await fixture.tracker.shutdown()
        return identity
    }

    private func remove(_ names: [String], _ fixture: SessionFixture) throws {
        for name in names {
            let path = fixture.directory.path("state/" + name)
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
    }

    private static let database = ["tracker.sqlite3", "tracker.sqlite3-wal", "tracker.sqlite3-shm"]

    @Test("over a restart, with its user, email and metadata")
    func restart() async throws {
        let first = try SessionFixture()
        let identity = try await leave(first)

        let next = first.restarted()
        try await next.start()
        await next.tracker.track(eventName: "E")
        await next.tracker.identify(userId: "user-1")
        await next.drain()

        #expect(Identity(next.tracker) == identity)
        #expect(identity.session == "S1" && identity.device != nil && identity.email == "a@b.example")
        #expect(next.creations.count == 1)
        #expect(next.events.map { $0.json["data"] } == [["tier": "gold"]])
        #expect(next.requests.filter { $0.path.contains("/identify/") }.count == 1)
        await next.tracker.shutdown()
    }

    @Test("when one side of the storage is deleted, and the other then heals it", arguments: [true, false])
    func oneSide(isDatabase: Bool) async throws {
        let first = try SessionFixture()
        let identity = try await leave(first)

        try remove(isDatabase ? Self.database : ["backup"], first)
        let second = first.restarted()
        try await second.start()
        let found = Identity(second.tracker)
        await second.tracker.shutdown()
        try remove(isDatabase ? ["backup"] : Self.database, first)
        let third = first.restarted()
        try await third.start()

        #expect(found == identity)
        #expect(Identity(third.tracker) == identity)
        #expect(third.creations.count == 1)
        await third.tracker.shutdown()
    }

    @Test("when the database is no database any more, with one warning")
    func corrupt() async throws {
        let first = try SessionFixture()
        let identity = try await leave(first)
        try remove(["tracker.sqlite3-wal", "tracker.sqlite3-shm"], first)
        try Data(repeating: 0x5A, count: 40_000).write(
            to: URL(filePath: first.directory.path("state/tracker.sqlite3")))

        let next = first.restarted()
        let heard = Recorder<Diagnostic>()
        next.tracker.control.observe { heard.record($0) }
        try await next.start()
        await next.tracker.track(eventName: "E")
        await next.drain()

        #expect(Identity(next.tracker) == identity)
        #expect(next.creations.count == 1)
        #expect(next.names == ["E"])
        let warnings = next.log.lines.all.filter { $0.hasPrefix("warning: The database was damaged") }
        #expect(warnings.count == 1)
        let told = heard.all.compactMap { if case .storage(let message) = $0 { message } else { nil } }
        #expect(told.map { "warning: \($0)" } == warnings)
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }

    @Test("when its backups are damaged, which are then written anew")
    func corruptBackups() async throws {
        let first = try SessionFixture()
        let identity = try await leave(first)
        let backups = first.directory.path("state/backup")
        for case let name as String in FileManager.default.enumerator(atPath: backups) ?? .init() {
            var isFolder: ObjCBool = false
            let path = backups + "/" + name
            let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            guard exists, !isFolder.boolValue else { continue }
            try Data([0, 1, 2]).write(to: URL(filePath: path))
        }

        let second = first.restarted()
        try await second.start()
        let found = Identity(second.tracker)
        await second.tracker.shutdown()
        try remove(Self.database, first)
        let third = first.restarted()
        try await third.start()

        #expect(found == identity)
        #expect(Identity(third.tracker) == identity)
        await third.tracker.shutdown()
    }

    @Test("for cookieExpiration days; then a running tracker makes another, and drops nothing")
    func expiresRunning() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.cookieExpiration = 2 })
        await fixture.tracker.identify(userId: "user-1")
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        fixture.clock.advance(by: .seconds(86_400))
        #expect(fixture.tracker.sessionId == "S1")
        fixture.clock.advance(by: .seconds(86_400))
        #expect(fixture.tracker.sessionId == nil)
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()

        #expect(fixture.tracker.sessionId == "S2")
        #expect(fixture.names == ["A", "B"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1", "S2"])
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("for cookieExpiration days; then a start makes another, and what the old one left is still its own")
    func expiresStopped() async throws {
        let first = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await first.start(first.config { $0.cookieExpiration = 2 })
        await first.tracker.track(eventName: "A")
        await first.tracker.shutdown()
        first.clock.advance(by: .seconds(3 * 86_400))
        let seen = first.requests.count
        first.answer()

        let next = first.restarted()
        try await next.start(next.config { $0.cookieExpiration = 2 })
        await next.tracker.track(eventName: "B")
        await next.drain()

        let late = next.requests.dropFirst(seen).filter { $0.isEvent }
        #expect(next.tracker.sessionId == "S2")
        #expect(late.map { $0.json["event_name"] } == ["A", "B"])
        #expect(late.map { $0.json["session_id"] } == ["S1", "S2"])
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }
}
