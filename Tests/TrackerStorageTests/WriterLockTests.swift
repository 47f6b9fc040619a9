import Foundation
import TestSupport
import Testing

@testable import TrackerStorage

@Suite("The lock that writers queue on")
struct WriterLockTests {
    let folder = TemporaryFolder()

    @Test("is taken in the end where the file system gives its file another number at each look")
    func isBounded() throws {
        var lock = WriterLock(folder.state)
        var looks = 0

        try lock.take { _ in
            looks += 1
            return false
        }

        #expect(looks == WriterLock.attempts - 1)
        #expect(try !FileLock(folder.state.writerLock).tryLock(), "It holds")
        lock.giveUp()
        #expect(try FileLock(folder.state.writerLock).tryLock())
    }

    @Test(
        "and SQLite's own keep no call waiting if the system has no locks left",
        .enabled(if: PreloadedLibrary.canBeMade), arguments: ["fcntl", "flock"])
    func noLocks(call: String) async throws {
        let tools = TemporaryFolder()
        let library = try PreloadedLibrary(
            """
            #include <errno.h>
            #include <fcntl.h>
            #include <stdarg.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            static int fails(const char *call) {
                return !strcmp(getenv("FAILING_CALL"), call) && syscall(SYS_faccessat, AT_FDCWD, getenv("NO_LOCKS"), F_OK) == 0;
            }

            static int control(int file, int command, void *argument) {
                if ((command == F_SETLK || command == F_SETLKW) && fails("fcntl")) {
                    errno = ENOLCK;
                    return -1;
                }
                return (int) syscall(SYS_fcntl, file, command, argument);
            }

            int fcntl(int file, int command, ...) {
                va_list list;
                va_start(list, command);
                void *argument = va_arg(list, void *);
                va_end(list);
                return control(file, command, argument);
            }

            int fcntl64(int file, int command, ...) {
                va_list list;
                va_start(list, command);
                void *argument = va_arg(list, void *);
                va_end(list);
                return control(file, command, argument);
            }

            int flock(int file, int operation) {
                if (fails("flock")) {
                    errno = ENOLCK;
                    return -1;
                }
                return (int) syscall(SYS_flock, file, operation);
            }
            """, in: tools)
        let probe = try library.probe("FAILING_CALL=\(call) NO_LOCKS=\(tools.file("none"))")
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        #expect(try await probe.ask("append m1") == "queued")
        try tools.write(Data(), to: "none")
        let start = ContinuousClock.now

        #expect(try await probe.ask("append m2") == "refused storage")
        let queue = try await probe.ask("queue")

        // SQLite alone waits for five seconds at least.
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(queue == (call == "fcntl" ? "unreadable" : "m1"))
        try tools.remove("none")
        #expect(try await probe.ask("append m3") == "queued")
        #expect(try await probe.ask("queue") == "m1 m3")
    }

    @Test("is taken on the file that the path leads to now")
    func isReplaced() throws {
        var lock = WriterLock(folder.state)
        try lock.take()
        lock.giveUp()
        try folder.remove("writer.lock")
        try folder.write(.init(), to: "writer.lock")

        try lock.take()

        #expect(try !FileLock(folder.state.writerLock).tryLock())
    }
}
