import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Sequence numbers", .closingOutboxes)
struct SequenceTests {
    let folder = TemporaryFolder()

    private static let firstSeed = Seeds.base(of: "Power cuts")

    private func opened(_ folder: TemporaryFolder, boot: String) async throws -> SQLiteOutbox {
        try await SQLiteOutbox.opened(.sample(folder) { $0.bootID = BootID(boot) })
    }

    /// Appends one record and gives its number.
    private func next(_ outbox: SQLiteOutbox) async throws -> Int64 {
        try #require(await outbox.commit(.append("m", given: false)).state?.lastSequence)
    }

    /// The folder as a power cut leaves it: the database of an earlier moment, the backups of the last.
    private func afterPowerCut(database: TemporaryFolder, backups: TemporaryFolder) throws -> TemporaryFolder {
        let result = try database.cloned()
        try? result.remove("backup")
        if backups.exists("backup") {
            try FileManager.default.copyItem(atPath: backups.file("backup"), toPath: result.file("backup"))
        }
        return result
    }

    @Test("are never used again after a power cut, whatever it has taken back", arguments: 0..<20)
    func survivePowerCuts(round: Int) async throws {
        let seed = Self.firstSeed &+ UInt64(round)
        var generator = SeededGenerator(seed: seed)
        var states: [TemporaryFolder] = []
        var last: Int64 = 0
        var boot = 1
        var current = folder
        var outbox = try await opened(current, boot: "boot 1")
        for _ in 0..<8 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                await outbox.close()
                states.append(try current.cloned())
                outbox = try await opened(current, boot: "boot \(boot)")
            case 1:
                // The machine starts again after a clean end.
                await outbox.close()
                boot += 1
                outbox = try await opened(current, boot: "boot \(boot)")
            case 2:
                // A kill: what is on disk goes on elsewhere.
                current = try current.cloned()
                outbox = try await opened(current, boot: "boot \(boot)")
            default:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let number = try await next(outbox)
                    #expect(number > last, "Seed \(seed)")
                    last = number
                }
            }
            states.append(try current.cloned())
        }
        let backups = try current.cloned()
        await outbox.close()

        for (index, state) in states.enumerated() {
            let cut = try afterPowerCut(database: state, backups: backups)
            let after = try await opened(cut, boot: "boot after")
            #expect(try await next(after) > last, "Seed \(seed), state \(index)")
            await after.close()
        }
    }

    @Test("go on without a gap after a kill")
    func surviveKills() async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        for number in 1...3 { #expect(try await probe.ask("append m\(number)") == "pending") }
        probe.kill()

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try await next(outbox) == 4)
    }

    @Test("go on without a gap after a clean end, whatever the machine has done since")
    func surviveCleanEnds() async throws {
        let first = try await opened(folder, boot: "one")
        #expect(try await next(first) == 1)
        await first.close()

        let second = try await opened(folder, boot: "two")

        #expect(try await next(second) == 2)
    }

    @Test("go on past the reserved block once the machine has started anew without a clean end")
    func jump() async throws {
        let first = try await opened(folder, boot: "one")
        #expect(try await next(first) == 1)
        let left = try folder.cloned()

        let second = try await opened(left, boot: "two")

        #expect(try await next(second) == 10_001)
        await second.close()
        let third = try await opened(left, boot: "three")
        #expect(try await next(third) == 10_002)
    }

    /// The events that a clean end has left behind before the kill; none leaves the lane to be made.
    @Test(
        "go on without a gap after a kill right after a block was reserved, before any of it is used",
        .enabled(if: PreloadedLibrary.canBeMade), arguments: [0, 2])
    func killedAtReservation(count: Int) async throws {
        if count > 0 {
            let first = try await SQLiteOutbox.opened(.sample(folder))
            for _ in 0..<count { _ = try await next(first) }
            await first.close()
        }
        let tools = TemporaryFolder()
        let library = try PreloadedLibrary(
            """
            #include <fcntl.h>
            #include <signal.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            int rename(const char *from, const char *to) {
                int result = (int) syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
                const char *name = strrchr(to, '/');
                if (name && !strcmp(name, "/sequence")) kill(getpid(), SIGKILL);
                return result;
            }
            """, in: tools)
        let probe = try library.probe()
        try probe.tell("open \(folder.path)")
        try? probe.tell("append m")
        #expect(!probe.rest().contains("pending"), "It was killed before the event was written")
        probe.kill()

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try await next(outbox) == Int64(count + 1))
    }

    @Test("go on without a gap where the machine does not tell, before the kill or after it, which start it is")
    func unknownBoot() async throws {
        for (before, after) in [("one", ""), ("", "one"), ("", "")] {
            let first = try await opened(TemporaryFolder(), boot: before)
            #expect(try await next(first) == 1)
            let folder = try #require(first.folder).path
            let left = try TemporaryFolder.cloned(folder)

            let second = try await opened(left, boot: after)

            #expect(try await next(second) == 2, "\(before), \(after)")
        }
    }

    @Test("are clean as long as the last of several to close has closed")
    func severalEnds() async throws {
        let first = try await opened(folder, boot: "one")
        let second = try await opened(folder, boot: "one")
        _ = try await next(first)
        await first.close()
        let last = try await next(second)
        let cut = try afterPowerCut(database: folder.cloned(), backups: folder)
        await second.close()

        let outbox = try await opened(folder, boot: "two")
        let other = try await opened(cut, boot: "two")

        #expect(last == 2)
        #expect(try await next(outbox) == 3)
        #expect(try await next(other) > 10_000)
    }

    @Test("begin past the reserved block if a lane was made before its database was lost", arguments: [false, true])
    func beginOfLostLane(isDamaged: Bool) async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        probe.kill()
        for suffix in ["", "-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        if isDamaged { try folder.write(Data("This is a text.".utf8), to: "tracker.sqlite3") }

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try await next(outbox) == 10_001)
    }
}
