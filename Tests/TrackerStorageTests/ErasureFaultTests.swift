import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("An erasure that meets another fault", .closingOutboxes)
struct ErasureFaultTests {
    let folder = TemporaryFolder()

    private static let secret = "SECRET-BODY"

    @Test("without a descriptor left is not done, and is finished by the next to open")
    func withoutDescriptors() async throws {
        let probe = try await filled(try ProbeProcess())
        #expect(try await probe.ask("exhaust") == "exhausted")

        #expect(try await probe.ask("deny") == "failed failed")

        #expect(try await probe.ask("state").hasPrefix("2 denied none"))
        #expect(try await probe.ask("queue") == "")
        probe.kill()
        try await expectNothingLeft()
    }

    @Test("without a descriptor left is done once there is one, without a further call")
    func withDescriptorsAgain() async throws {
        let probe = try await filled(try ProbeProcess())
        #expect(try await probe.ask("exhaust") == "exhausted")
        #expect(try await probe.ask("deny") == "failed failed")

        #expect(try await probe.ask("relent") == "done")

        while try await probe.ask("storage") != "ok" {}
        #expect(!folder.exists("tracker.sqlite3.corrupt-1"))
        probe.kill()
        try await expectNothingLeft()
    }

    @Test(
        "that meets refused reads of the database leaves no copy of what it was to erase",
        .enabled(if: PreloadedLibrary.canBeMade), arguments: [1, 2, 4, 8, 40])
    func refusedReads(count: Int) async throws {
        let tools = TemporaryFolder()
        let library = try PreloadedLibrary.refusingReads(of: "tracker.sqlite3", in: tools)
        let probe = try await filled(library.probe("REFUSE=\(tools.file("refuse")) COUNT=\(count)"))
        for number in 1...100 { #expect(try await probe.ask("append \(Self.secret)-\(number) 1000") == "queued") }
        // Nothing is in the log, and nothing in the memory of the next.
        try probe.tell("close")
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        try tools.write(Data(), to: "refuse")

        _ = try await probe.ask("deny")

        try tools.remove("refuse")
        try await withGuard("the disk") { while try await probe.ask("storage") != "ok" {} }
        #expect(try await probe.ask("deny") == "done")
        #expect(try folder.files(holding: Self.secret) == [])
        probe.kill()
        try await expectNothingLeft()
    }

    @Test("whose folder cannot be listed is not done", .enabled(if: MountNamespace.isAvailable))
    func unlistedFolder() async throws {
        try folder.state.make()
        try setMode(0o777, of: folder.path)
        let probe = try await filled(
            try ProbeProcess("exec \(Stranger.command.joined(separator: " ")) \"$0\""))
        try setMode(0o333, of: folder.path)

        #expect(try await probe.ask("deny") == "failed readOnly")

        try setMode(0o777, of: folder.path)
        #expect(try await probe.ask("deny") == "done")
        probe.kill()
        try await expectNothingLeft()
    }

    @Test("is not forgotten when the database is recovered before it is complete", arguments: [true, false])
    func recoveredInUse(isDenial: Bool) async throws {
        let outbox = try await filled()
        try hinder()
        #expect(await outbox.commit(Self.erasing(isDenial)).summary == "failed failed")
        #expect(try outbox.state().writeFailure?.kind == .failed)
        // What another has written is read from the file again.
        let other = try await SQLiteOutbox.opened(.sample(folder))
        await other.commit(.store(.own("x"), "y", nil))
        // A retry in between would write the first page into the log again, which hides what is in the file.
        try outbox.writer.withLock { _ in
            try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try Program.run(
                "/bin/sh", ["-c", "head -c 4096 /dev/zero | dd of=\"$0\" conv=notrunc", folder.state.database],
                errors: .null)
        }
        await outbox.commit(.barrier)
        #expect(folder.exists("tracker.sqlite3.corrupt-2"), "It was set aside")

        try folder.remove(Self.obstacle)
        _ = outbox.writer.withLock { $0.commit(StagedGroup()) }
        await outbox.commit(.barrier)

        #expect(try outbox.state().writeFailure == nil)
        await outbox.close()
        await other.close()
        #expect(try folder.files(holding: Self.secret) == [])
        #expect(!folder.exists("backup/erasure"))
    }

    /// Where a crash breaks off the recovery of a database that an erasure has found damaged, and what that has harmed.
    @Test("goes on after a kill inside the recovery that it began", arguments: 0..<4, [Damage.firstPage, .randomPages])
    func killedInRecovery(step: Int, damage: Damage) async throws {
        let outbox = try await filled()
        try hinder()
        #expect(await outbox.commit(.reset(all: true, messageID: nil)).summary == "failed failed")
        await outbox.close()
        try folder.remove(Self.obstacle)
        try damage.apply(folder)
        #expect(try !folder.files(holding: Self.secret).isEmpty)
        let files = DamagedFiles(folder.state)
        switch step {
        case 0: break
        case 1: try files.moveDamaged()
        case 2:
            try files.moveDamaged()
            _ = try RecoveredDatabase(folder.state).build(expecting: [:])
            try files.placeNew()
        default:
            try files.moveDamaged()
            _ = try RecoveredDatabase(folder.state).build(expecting: [:])
            try files.placeNew()
            #expect(try files.setDamagedCopyAside() == "tracker.sqlite3.corrupt-1")
        }

        let next = try await SQLiteOutbox.opened(.sample(folder))
        await next.commit(.barrier)

        #expect(try next.state().writeFailure == nil)
        await next.close()
        #expect(try folder.files(holding: Self.secret) == [])
        #expect(!folder.exists("backup/erasure"))
    }

    @Test("is not complete before the backups are without what was erased", arguments: [true, false])
    func backups(isDenial: Bool) async throws {
        let outbox = try await filled()
        await outbox.commit(.store(.sessionEmail, Self.secret, nil))
        #expect(try folder.backedUp(.sessionEmail) == Self.secret)
        let lock = try folder.state.lockBackups()

        #expect(await outbox.commit(Self.erasing(isDenial)).summary.hasPrefix("failed"))

        #expect(folder.exists("backup/erasure"))
        lock.unlock()
        _ = outbox.writer.withLock { $0.commit(StagedGroup()) }
        #expect(!folder.exists("backup/erasure"))
        #expect(try folder.files(holding: Self.secret) == [])
    }

    @Test("is made up for where a damaged database from before a denial is put back")
    func damagedAndOld() async throws {
        let first = try await filled()
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder))
        #expect(await second.commit(.consent(.denied, messageID: nil)).summary == "done")
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")
        try Damage.firstPage.apply(folder)

        let third = try await SQLiteOutbox.opened(.sample(folder))
        await third.commit(.barrier)

        #expect(try third.state().consent == .denied)
        await third.close()
        #expect(try folder.files(holding: Self.secret) == [])
    }

    /// A folder in place of a set-aside database, which no erasure can remove.
    private static let obstacle = "tracker.sqlite3.corrupt-1"

    private static func erasing(_ isDenial: Bool) -> LaneChange {
        isDenial ? .consent(.denied, messageID: nil) : .reset(all: true, messageID: nil)
    }

    private func hinder() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file(Self.obstacle), withIntermediateDirectories: false)
    }

    /// An outbox whose database holds events that a crash would leave in it.
    private func filled() async throws -> SQLiteOutbox {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1")] + (1...500).map { .append("m\($0)", body: #"{"n":"\#(Self.secret)"}"#) })
        await outbox.close()
        return try await SQLiteOutbox.opened(.sample(folder))
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Has the probe's lane hold an event, and a set-aside database another.
    private func filled(_ probe: ProbeProcess) async throws -> ProbeProcess {
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        #expect(try await probe.ask("append \(Self.secret)") == "queued")
        try folder.write(Data(Self.secret.utf8), to: "tracker.sqlite3.corrupt-1")
        return probe
    }

    /// Opens the folder as the next process does, and looks into its files.
    private func expectNothingLeft() async throws {
        let next = try await SQLiteOutbox.opened(.sample(folder))
        await next.commit(.barrier)
        #expect(try next.state().consent == .denied)
        await next.close()
        #expect(try folder.files(holding: Self.secret) == [])
    }
}
