import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A damaged database that the system refuses to read", .closingOutboxes)
struct UnreadableDatabaseTests {
    let folder = TemporaryFolder()
    let tools = TemporaryFolder()

    @Test("a note with an absurd time, or a copy with an absurd number, stops no repair")
    func absurdNumbers() throws {
        #expect(ReadRefusal(start: Timestamp(milliseconds: .min)).rest(at: Timestamp(milliseconds: 1)) == .zero)

        try folder.state.make()
        let files = DamagedFiles(folder.state)
        for name in ["tracker.sqlite3", "tracker.sqlite3.corrupt-\(Int.max)"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        try files.moveDamaged()
        #expect(try files.setDamagedCopyAside() == "tracker.sqlite3.corrupt-1")
    }

    @Test(
        "stays where it is with its records, and is carried over as soon as it can be read, without a call",
        .enabled(if: PreloadedLibrary.canBeMade))
    func waits() async throws {
        let probe = try await refused()

        #expect(try await probe.ask("open \(folder.path)") == "open unreadable")
        #expect(try await probe.ask("session") == "s1")
        #expect(try await probe.ask("append no") == "refused storage")
        #expect(folder.exists("tracker.sqlite3.damaged"))

        try tools.remove("refuse")
        while try await probe.ask("storage") != "ok" {}
        #expect(try await probe.ask("queue") == "m1 m2 m3")
        #expect(try await probe.ask("append m4") == "queued")
        #expect(try await probe.ask("queue") == "m1 m2 m3 m4")
        #expect(probe.events == ["event writeFailed unreadable", "event databaseRecovered", "event recovered"])
        #expect(try folder.state.refusal == nil)
    }

    @Test("loses nothing by a few refused reads", .enabled(if: PreloadedLibrary.canBeMade), arguments: [1, 2])
    func fewRefusals(count: Int) async throws {
        let probe = try await refused(atMost: count)

        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("queue") == "m1 m2 m3")
    }

    @Test(
        "is set aside when that has lasted, and is kept; new events are taken",
        .enabled(if: PreloadedLibrary.canBeMade))
    func isGivenUp() async throws {
        let probe = try await refused()
        #expect(try await probe.ask("open \(folder.path)") == "open unreadable")
        #expect(try await probe.ask("append no") == "refused storage")
        let start = try #require(try folder.state.refusal).start

        folder.state.rememberRefusal(at: start.advanced(by: .zero - ReadRefusal.patience))
        while try await probe.ask("storage") != "ok" {}

        #expect(try await probe.ask("append m4") == "queued")
        #expect(try await probe.ask("queue") == "m4")
        #expect(try await probe.ask("session") == "s1")
        #expect(folder.exists("tracker.sqlite3.corrupt-1"))
        #expect(try folder.state.refusal == nil)
    }

    @Test("is given up once reads have been refused for long enough, by the earliest clock that was read")
    func patience() {
        let start = Timestamp(milliseconds: 1_000_000)
        let refusal = ReadRefusal(start: start)
        let end = start.advanced(by: ReadRefusal.patience)

        #expect(refusal.rest(at: start) == ReadRefusal.patience)
        #expect(refusal.rest(at: Timestamp(milliseconds: end.milliseconds - 1)) == .milliseconds(1))
        #expect(refusal.rest(at: end) == .zero && refusal.rest(at: end.advanced(by: .seconds(1))) == .zero)
        #expect(refusal.extended(at: end) == refusal)
        let before = Timestamp(milliseconds: 1)
        #expect(refusal.extended(at: before) == ReadRefusal(start: before))
    }

    @Test("is given up by a clock that nobody sets, once a run has seen that reads are refused")
    func clockIsSet() {
        let (start, now) = (Timestamp(milliseconds: 1_000_000), MonotonicInstant(nanoseconds: 0))
        let refusal = ReadRefusal(start: start)
        let tomorrow = start.advanced(by: .seconds(86_400))
        func looks(_ looks: [(ReadRefusal?, Timestamp, seconds: Int)]) -> [Bool] {
            var watch = RefusalWatch()
            return looks.map { watch.isForGood($0, at: $1, now.advanced(by: .seconds($2))) }
        }

        #expect(
            looks([(nil, start, 0), (refusal, start, 0), (refusal, tomorrow, 29), (refusal, start, 30)])
                == [false, false, false, true])
        // Another run has noted it before.
        #expect(looks([(refusal, start.advanced(by: .seconds(20)), 0), (refusal, start, 10)]) == [false, true])
        #expect(looks([(refusal, tomorrow, 0)]) == [true])
        #expect(looks([(refusal, start, 0), (nil, tomorrow, 99), (refusal, start, 99)]) == [false, false, false])
    }

    /// Result codes as in sqlite3.h: error, a read fails, the medium refuses a read, a short read, corrupt.
    @Test(
        "a refused read is told from damage",
        arguments: zip([1, 266, 6922, 522, 11] as [Int32], [Reading.lastTry, .givenUp, .givenUp, .any, .any]))
    func isDamage(code: Int32, from first: Reading) {
        let error = StorageError(sqlite: code, systemError: 0, path: "tracker.sqlite3", detail: "")

        #expect(error.isDamage(onLastTry: false, givesUp: false) == (first == .any))
        #expect(error.isDamage(onLastTry: true, givesUp: false) == (first != .givenUp))
        #expect(error.isDamage(onLastTry: true, givesUp: true))
    }

    /// From which reading on a failure counts as damage.
    enum Reading { case any, lastTry, givenUp }

    @Test("a read that lacks memory is no damage, however long that lasts")
    func lackOfMemory() {
        let error = StorageError(sqlite: 266, systemError: 12, path: "tracker.sqlite3", detail: "")

        #expect(!error.isDamage(onLastTry: true, givesUp: true))
    }

    /// A probe whose reads of the damaged database are refused as long as there is a file, on a folder where its recovery
    /// has begun.
    private func refused(atMost count: Int = .max) async throws -> ProbeProcess {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2"), .append("m3")])
        await outbox.close()
        try DamagedFiles(folder.state).moveDamaged()
        let library = try PreloadedLibrary.refusingReads(of: "tracker.sqlite3.damaged", in: tools)
        try tools.write(Data(), to: "refuse")
        return try library.probe("REFUSE=\(tools.file("refuse")) COUNT=\(count)")
    }
}
