import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The state folder")
struct StateFolderTests {
    @Test(
        "follows no link of a file in it, and says so",
        arguments: [
            "tracker.sqlite3", "tracker.sqlite3-wal", "tracker.sqlite3-shm", "tracker.sqlite3-journal", "writer.lock",
            "backup.lock", "\(LaneIdentity.sample.fileName).open.lock", "\(LaneIdentity.sample.fileName).delivery.lock",
            "backup/forgotten", "backup/\(LaneIdentity.sample.tenantFileName)/brand/consent",
        ])
    func links(name: String) async throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        try folder.state.make()
        try other.state.make()
        try other.write(Data("mine".utf8), to: "victim")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other.file("victim"))
        try FileManager.default.createDirectory(
            at: URL(filePath: folder.file(name)).deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: other.file("victim"))

        let outbox = SQLiteOutbox(.sample(folder))
        let result = await outbox.open()
        _ = outbox.acquireDelivery()
        await outbox.commit([.bind(1, "s1"), .consent(.granted, messageID: nil), .forget([.user("u1")])])
        await outbox.close()

        #expect(try other.read("victim") == Data("mine".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: other.file("victim"))
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        if case .failure(let error) = result, !name.hasSuffix("-wal"), !name.hasSuffix("-shm") {
            #expect(error.message.contains("symbolic link"), "\(error)")
        }
        #expect(other.files == ["victim"])
    }

    @Test("what cannot be looked at does not count as absent")
    func unseen() throws {
        let folder = TemporaryFolder()
        try folder.state.make()
        try FileManager.default.createSymbolicLink(atPath: folder.file("loop"), withDestinationPath: "loop")
        let long = folder.file(String(repeating: "x", count: 300))

        #expect(try FileIdentity(ofPath: folder.file("none")) == nil)
        #expect(try Directory(folder.file("none")).names() == [])
        for path in [folder.file("loop"), long] {
            #expect(throws: StorageError.self) { try FileIdentity(ofPath: path) }
            #expect(throws: StorageError.self) { try Directory(path).names() }
            #expect(throws: StorageError.self) { try Directory(path).folders() }
        }
    }

    @Test("may itself be reached by a link")
    func isLink() async throws {
        let (link, folder) = (TemporaryFolder(), TemporaryFolder())
        try folder.state.make()
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: folder.path)

        let outbox = try await SQLiteOutbox.opened(.sample(link))
        #expect(await outbox.commit(.bind(1, "s1")).summary == "done")
        await outbox.close()

        #expect(folder.exists("tracker.sqlite3"))
        try FileManager.default.removeItem(atPath: link.path)
    }

    @Test(
        "is the one that the XDG specification names",
        arguments: [
            (["XDG_STATE_HOME": "/var/state", "HOME": "/home/u"], "/var/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "/var/state/", "HOME": "/home/u"], "/var/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "relative", "HOME": "/home/u"], "/home/u/.local/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "", "HOME": "/home/u"], "/home/u/.local/state/mobile-tracker/shop"),
            (["HOME": "/"], "/.local/state/mobile-tracker/shop"),
        ]
    )
    func standard(environment: [String: String], path: String) {
        #expect(StateFolder.standard(program: "shop") { environment[$0] }?.path == path)
    }

    @Test(
        "is one program's own, whatever the program is called",
        arguments: [
            ("shop", "shop"), ("@acme/shop", "@acme%2Fshop"), ("..", "%2E."), (".hidden", "%2Ehidden"),
            ("", "default"), ("mein laden", "mein%20laden"), ("v1.2", "v1.2"),
        ]
    )
    func programs(program: String, folder: String) {
        let path = StateFolder.standard(program: program) { _ in "/state" }?.path

        #expect(path == "/state/mobile-tracker/" + folder)
    }

    @Test("is one program's own also if its name is long, and of at most 200 bytes")
    func longNames() throws {
        let folders = try ["1", "2"].map { end in
            let program = String(repeating: "я", count: 40) + end
            return try #require(StateFolder.standard(program: program) { _ in "/state" }?.path)
        }

        #expect(folders[0] != folders[1])
        #expect(folders.allSatisfy { $0.dropFirst("/state/mobile-tracker/".count).utf8.count <= 200 })
    }

    @Test("is named after the executable unless a program is named")
    func executable() throws {
        let path = try #require(StateFolder.standard { _ in "/state" }?.path)
        let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let started = URL(filePath: file).lastPathComponent

        #expect(StateFolder.executableName == started)
        #expect(path == StateFolder.standard(program: started) { _ in "/state" }?.path)
    }

    @Test("says what to do where there is no home folder")
    func noHome() {
        let error = #expect(throws: StorageError.self) { try StateFolder(path: "").make() }
        #expect(
            error?.message == "There is no home folder to keep events in: name a folder with 'storageDirectory'")
    }

    @Test("names the files of each lane and each brand apart, the same in every process")
    func names() {
        let lanes = [
            LaneIdentity(kind: .session, owner: "925", origin: "https://a.example.com"),
            LaneIdentity(kind: .session, owner: "925", origin: "https://b.example.com"),
            LaneIdentity(kind: .session, owner: "9", origin: "25https://a.example.com"),
            LaneIdentity(kind: .batch, owner: "925", origin: "https://a.example.com"),
        ]

        #expect(Set(lanes.map(\.fileName)).count == 4)
        #expect(Set(lanes.map(\.tenantFileName)).count == 3)
        #expect(LaneIdentity.sample.fileName == "session-4e521c638b10d058")
        #expect(LaneIdentity.sample.tenantFileName == "session-eb24de6b569f4397")
    }
}
