import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A real disk", .closingOutboxes, .enabled(if: MountNamespace.isAvailable))
struct RealDiskTests {
    let folder = TemporaryFolder()

    @Test("that is full refuses calls, holds a reset, and recovers when there is room", arguments: ["", " full"])
    func isFull(durability: String) async throws {
        let probe = try mounted("size=600k")
        #expect(try await probe.ask("open \(folder.path)\(durability)") == "open writable")
        #expect(try await probe.ask("device") == "done")
        #expect(try await probe.ask("bind s1") == "done")
        #expect(try await probe.ask("append m1") == "queued")
        #expect(try await probe.ask("fill \(folder.file("ballast"))") == "filled")
        #expect(try await probe.ask("sh echo more > \(folder.file("more"))") == "failed", "The disk is not full")

        let refused = try await fillUp(probe)
        #expect(refused == "refused storage")
        #expect(try await probe.ask("append no 9000") == "refused storage")
        #expect(probe.events == ["event writeFailed full"])
        #expect(try await probe.ask("reset").hasPrefix("failed"))
        #expect(try await probe.ask("state") == "2 granted none awaiting")
        #expect(try await probe.ask("queue") == "")
        #expect(try await probe.ask("session") == "none")

        #expect(try await probe.ask("unlink \(folder.file("ballast"))") == "done")
        #expect(try await probe.ask("append m2") == "pending")
        #expect(probe.events.last == "event recovered")
        #expect(try await probe.ask("state") == "2 granted none settled")
        let queue = try await probe.ask("queue").split(separator: " ")
        #expect(queue.first == "m1" && queue.last == "m2")
    }

    @Test("that is full from the start still opens, and keeps values in memory")
    func isFullFromTheStart() async throws {
        let probe = try mounted("size=64k")
        #expect(try await probe.ask("fill \(folder.file("ballast"))") == "filled")

        #expect(try await probe.ask("open \(folder.path)") == "open full")
        #expect(try await probe.ask("append m1") == "refused storage")
        #expect(try await probe.ask("device").hasPrefix("failed"))
        #expect(try await probe.ask("bind s1").hasPrefix("failed"))
        #expect(try await probe.ask("session") == "s1")
        #expect(try await probe.ask("lock") == "yes")
        #expect(try await probe.ask("state") == "1 granted s1 settled")
        #expect(probe.events == ["event writeFailed full"])
    }

    @Test("that is full keeps a damaged database in its place until there is room to build another")
    func isFullAndDamaged() async throws {
        let probe = try mounted("size=600k")
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        for number in 1...5 { #expect(try await probe.ask("append m\(number)") == "queued") }
        try probe.tell("close")
        let database = folder.file("tracker.sqlite3")
        let damage = "head -c 4096 /dev/urandom | dd of=\(database) conv=notrunc"
        #expect(try await probe.ask("sh \(damage)") == "done")
        #expect(try await probe.ask("fill \(folder.file("ballast"))") == "filled")

        #expect(try await probe.ask("open \(folder.path)") == "open full")
        #expect(try await probe.ask("session") == "s1")
        #expect(try await probe.ask("append no") == "refused storage")
        #expect(probe.events == ["event writeFailed full"])

        #expect(try await probe.ask("unlink \(folder.file("ballast"))") == "done")
        #expect(try await probe.ask("append m6") == "queued")
        // Without its first page nothing of it can be read.
        #expect(try await probe.ask("queue") == "m6")
        #expect(try await probe.ask("session") == "s1")
        #expect(probe.events.dropFirst() == ["event databaseRecovered", "event recovered"])
    }

    @Test("that is read-only can be read: the session is there, what waits is there, nothing can be added")
    func isReadOnly() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        await outbox.close()
        let probe = try ProbeProcess(
            "exec unshare \(MountNamespace.making[0]) sh -c 'mount --bind \(folder.path) \(folder.path) && "
                + "mount -o remount,ro,bind \(folder.path) && exec \"$0\"' \"$0\""
        )
        #expect(try await probe.ask("sh touch \(folder.file("x"))") == "failed", "The disk is not read-only")

        #expect(try await probe.ask("open \(folder.path)") == "open readOnly")
        #expect(try await probe.ask("session") == "s1")
        #expect(try await probe.ask("queue") == "m1")
        #expect(try await probe.ask("append m2") == "refused storage")
        #expect(try await probe.ask("lock") == "yes")
        #expect(try await probe.ask("deny").hasPrefix("failed"))
        #expect(try await probe.ask("state") == "2 denied none awaiting")
        #expect(try await probe.ask("queue") == "")
        #expect(try await probe.ask("append m3") == "refused trackingNotAllowed")
    }

    @Test("whose folder belongs to another and takes no writes still opens")
    func isForeign() async throws {
        try folder.state.make()
        try FileManager.default.setAttributes([.posixPermissions: Stranger.mayLook], ofItemAtPath: folder.path)
        let probe = try foreign()
        #expect(try await probe.ask("sh touch \(folder.file("x"))") == "failed", "The folder can be written")

        #expect(try await probe.ask("open \(folder.path)") == "open readOnly")
        #expect(try await probe.ask("append m1") == "refused storage")
        #expect(try await probe.ask("bind s1").hasPrefix("failed"))
        #expect(try await probe.ask("session") == "s1")
        #expect(probe.events.isEmpty || probe.events == ["event writeFailed readOnly"])

        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        #expect(try await probe.ask("append m2") == "queued")
        #expect(try await probe.ask("session") == "s1")
        #expect(try await probe.ask("state") == "1 granted s1 settled")
    }

    @Test("whose folder cannot be made or looked into does not open")
    func isForbidden() async throws {
        try folder.state.make()
        try FileManager.default.setAttributes([.posixPermissions: Stranger.mayNothing], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
        let probe = try foreign()

        #expect(try await probe.ask("open \(folder.path)").hasPrefix("failed folder"))
        #expect(try await probe.ask("open \(folder.file("deeper"))").hasPrefix("failed folder"))
        #expect(try await probe.ask("append m1") == "refused storage")
    }

    @Test(
        "where another user has left backups of another lane opens, and takes calls, but nothing of that lane",
        arguments: [LaneIdentity.endpoint("a"), .session("https://b.example.com")])
    func hasOthersBackups(lane: LaneIdentity) async throws {
        try folder.state.make()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let probe = try foreign()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        // Backups are written behind an opening, and closing waits for them: the probe's own are there before another's.
        try probe.tell("close")
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane))
        await other.commit(.append("n1"))
        await other.close()
        try probe.tell("close")

        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("append m1") == "pending")
        #expect(try await probe.ask("queue") == "m1")
    }

    @Test("gives its files to their owner alone under any umask", arguments: ["0000", "0777", "0022"])
    func ignoresUmask(umask: String) async throws {
        try folder.state.make()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let probe = try foreign("umask \(umask); ")
        #expect(try await probe.ask("open \(folder.file("deep/state"))") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        #expect(try await probe.ask("append m1") == "queued")
        #expect(try await probe.ask("lock") == "yes")

        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let modes = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            return
                "\(name) \(isFolder ? "folder" : "file") \(String(attributes[.posixPermissions] as? Int ?? 0, radix: 8))"
        }
        #expect(names.contains { $0.hasSuffix("-wal") } && names.contains { $0.hasSuffix("__GT_925_session_id") })
        #expect(modes.allSatisfy { $0.hasSuffix("folder 700") || $0.hasSuffix("file 600") }, "\(modes)")
    }

    @Test("beside which there is no place for temporary files still erases, however much others have there")
    func isAllThereIs() async throws {
        let lane = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        let body = #"{"text":"\#(String(repeating: "x", count: 100_000))"}"#
        await other.commit((1...100).map { .append("n\($0)", body: body) })
        await other.close()
        // SQLite looks at these folders, then at the one that the program runs in.
        let script = """
            unset SQLITE_TMPDIR TMPDIR
            for place in /var/tmp /usr/tmp /tmp; do
                if [ -d $place ]; then mount --bind $place $place && mount -o remount,ro,bind $place || exit 1; fi
            done
            mount --bind \(folder.path) \(folder.path) && mount -o remount,rw,bind \(folder.path) && cd /tmp && exec "$0"
            """
        let probe = try ProbeProcess("exec unshare \(MountNamespace.making[0]) sh -c '\(script)' \"$0\"")
        #expect(try await probe.ask("sh touch /tmp/x || touch /var/tmp/x || touch ./x") == "failed", "There is a place")

        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("append m1") == "pending")
        #expect(try await probe.ask("deny") == "done")
        #expect(try await probe.ask("state").contains("denied"))
        try probe.tell("close")
    }

    /// A probe that sees a small disk of its own at the folder.
    private func mounted(_ options: String) throws -> ProbeProcess {
        try folder.state.make()
        return try ProbeProcess(
            "exec unshare \(MountNamespace.making[0]) sh -c 'mount -t tmpfs -o \(options),mode=700 tmpfs \(folder.path) && exec \"$0\"' \"$0\""
        )
    }

    /// A probe of another user.
    private func foreign(_ before: String = "") throws -> ProbeProcess {
        try ProbeProcess("\(before)exec \(Stranger.command.joined(separator: " ")) \"$0\"")
    }

    /// Appends until the disk takes no more.
    private func fillUp(_ probe: ProbeProcess) async throws -> String {
        for number in 1...1000 {
            let answer = try await probe.ask("append fill\(number) 9000")
            guard answer == "queued" else { return answer }
        }
        return "The disk does not fill up"
    }
}
