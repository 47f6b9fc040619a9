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

    /// Starts a probe with it.
    ///
    /// - Parameter environment: Variables for the library, as `env` takes them.
    func probe(_ environment: String = "") throws -> ProbeProcess {
        try ProbeProcess("exec env LD_PRELOAD=\(path) \(environment) \"$0\"")
    }
}
