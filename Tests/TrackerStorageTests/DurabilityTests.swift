import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Durability")
struct DurabilityTests {
    private let folder = TemporaryFolder()
    private let tools = TemporaryFolder()

    @Test(
        "full has SQLite sync every commit, process has it leave that to the log",
        arguments: zip([DeliveryOptions.Durability.process, .full], [1, 2] as [Int64]))
    func syncs(durability: DeliveryOptions.Durability, synchronous: Int64) throws {
        let folder = try TemporaryDirectory()
        let connection = try Connection(folder.path("tracker.sqlite3"), .create)

        try Schema.configure(connection, durability: durability)

        // SQLite's own words for NORMAL and FULL.
        #expect(try connection.number("PRAGMA synchronous") == synchronous)
        #expect(try connection.number("PRAGMA fullfsync") == (durability == .full ? 1 : 0))
    }

    @Test(
        "calls are synced with full alone, stored values, consent and resets with either",
        .enabled(if: ChildProcess.exists("cc")), arguments: ["", " full"])
    func reachesTheDisk(durability: String) async throws {
        let probe = try countedProbe()
        #expect(try await probe.ask("open \(folder.path)\(durability)") == "open writable")
        // The first call also reserves a block of sequence numbers, which is synced.
        #expect(try await probe.ask("bind s1") == "done")
        #expect(try await probe.ask("append m1") == "queued")

        let call = try await syncs(during: "append m2", probe)
        let value = try await syncs(during: "bind s2", probe)
        let reset = try await syncs(during: "reset", probe)
        let denial = try await syncs(during: "deny", probe)

        #expect(call.answer == "queued")
        let log: Substring = "tracker.sqlite3-wal"
        #expect(call.files.contains(log) == (durability == " full"))
        for change in [value, reset, denial] {
            #expect(change.answer == "done")
            #expect(change.files.contains(log), "\(change.files)")
        }
    }

    @Test(
        "an opening that takes over another lane's records is synced, so that the backup of that lane is not ahead",
        .enabled(if: ChildProcess.exists("cc")))
    func takeover() async throws {
        let probe = try countedProbe()
        try tools.write(Data(), to: "log")
        let empty = try await syncedLogs(opening: TemporaryFolder(), hasRecords: false, probe)
        try probe.tell("close")

        let taken = try await syncedLogs(opening: folder, hasRecords: true, probe)

        #expect(try await probe.ask("queue") == "m1")
        #expect(taken == empty + 1)
    }

    /// How often the probe syncs the database's log when it opens a folder where there is another lane of its brand.
    private func syncedLogs(
        opening folder: TemporaryFolder, hasRecords: Bool, _ probe: ProbeProcess
    ) async throws -> Int {
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://b.example.com")))
        if hasRecords { await other.commit(.append("m1")) }
        await other.close()
        return try await syncs(during: "open \(folder.path)", probe).files.count { $0 == "tracker.sqlite3-wal" }
    }

    /// A probe that notes the name of each file that it has synced.
    private func countedProbe() throws -> ProbeProcess {
        let library = try PreloadedLibrary(
            """
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            static int noted(long call, int file) {
                char link[64], path[4096] = "";
                snprintf(link, sizeof link, "/proc/self/fd/%d", file);
                FILE *log = fopen(getenv("SYNC_LOG"), "a");
                if (!log || readlink(link, path, sizeof path - 1) < 0) abort();
                fprintf(log, "%s\\n", strrchr(path, '/') + 1);
                fclose(log);
                return (int) syscall(call, file);
            }

            int fsync(int file) { return noted(SYS_fsync, file); }
            int fdatasync(int file) { return noted(SYS_fdatasync, file); }
            """, in: tools)
        return try library.probe("SYNC_LOG=\(tools.file("log"))")
    }

    /// What the probe answered to a command, and which files it had synced by then.
    private func syncs(during command: String, _ probe: ProbeProcess) async throws -> (
        answer: String, files: [Substring]
    ) {
        let before = try noted.count
        let answer = try await probe.ask(command)
        return (answer, Array(try noted.dropFirst(before)))
    }

    private var noted: [Substring] {
        get throws { try String(contentsOfFile: tools.file("log"), encoding: .utf8).split(separator: "\n") }
    }
}
