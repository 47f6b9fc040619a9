import Foundation
import TestSupport

/// A library that takes the place of system calls in a probe, to count them, to make them fail or to end the probe there.
struct PreloadedLibrary {
    /// Whether this machine can make one.
    static let canBeMade = ChildProcess.exists("cc")

    private let path: String

    /// Compiles it.
    init(_ source: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try source.write(toFile: folder.file("library.c"), atomically: true, encoding: .utf8)
        try ChildProcess.run("cc", ["-shared", "-fPIC", "-o", "library.so", "library.c"], in: folder.path)
        path = folder.file("library.so")
    }

    /// One that refuses reads of files with a name, as long as there is the file `REFUSE`, and at most `COUNT` of them.
    static func refusingReads(of name: String, in folder: TemporaryFolder) throws -> PreloadedLibrary {
        try PreloadedLibrary(
            """
            #include <errno.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            ssize_t pread64(int file, void *buffer, size_t size, off_t offset) {
                static long refused;
                char link[64], path[4096] = "";
                snprintf(link, sizeof link, "/proc/self/fd/%d", file);
                if (readlink(link, path, sizeof path - 1) < 0) abort();
                char *name = strrchr(path, '/');
                if (name && !strcmp(name + 1, "\(name)") && !access(getenv("REFUSE"), F_OK)
                    && refused++ < atol(getenv("COUNT"))) {
                    errno = EIO;
                    return -1;
                }
                return syscall(SYS_pread64, file, buffer, size, offset);
            }

            ssize_t pread(int file, void *buffer, size_t size, off_t offset) {
                return pread64(file, buffer, size, offset);
            }
            """, in: folder)
    }

    /// Starts a probe with it.
    ///
    /// - Parameter environment: Variables for the library, as `env` takes them.
    func probe(_ environment: String = "") throws -> ProbeProcess {
        try ProbeProcess("exec env LD_PRELOAD=\(path) \(environment) \"$0\"")
    }
}
