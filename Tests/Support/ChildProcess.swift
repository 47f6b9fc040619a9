import Foundation
import Synchronization

/// A program that a test started; it is ended when the test releases it.
public final class ChildProcess: Sendable {
    /// What it wrote, line by line, to standard output and standard error.
    public let lines = Recorder<String>()
    private let process: Mutex<Process>

    /// Starts a program that is looked for in `PATH`.
    ///
    /// - Parameter directory: The folder it runs in; `nil` for the test's own.
    public init(_ command: String, _ arguments: [String], in directory: String? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        self.process = Mutex(process)
        let reading = output.fileHandleForReading
        Thread.detachNewThread { [lines] in
            var rest = ""
            while case let data = reading.availableData, !data.isEmpty {
                var parts = (rest + String(decoding: data, as: UTF8.self)).components(separatedBy: "\n")
                rest = parts.removeLast()
                for line in parts { lines.record(line) }
            }
        }
    }

    deinit {
        // Not SIGTERM: the child has the signal mask of the thread that started it, which may hold that back.
        process.withLock { if $0.isRunning { _ = kill($0.processIdentifier, SIGKILL) } }
    }

    /// Whether a program of that name can be started.
    public static func exists(_ command: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command)")
        }
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``Failure`` if it fails.
    public static func run(_ command: String, _ arguments: [String], in directory: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.currentDirectoryURL = URL(filePath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command) \(arguments): \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// A program ended badly.
    public struct Failure: Error, CustomStringConvertible {
        /// The command, and what it wrote to standard error.
        public let description: String
    }
}
