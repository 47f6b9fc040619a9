import Foundation

/// A program that a test started; it is ended when the test releases it.
public final class ChildProcess: Sendable {
    /// What it wrote, line by line, to standard output and standard error.
    public let lines = Recorder<String>()
    private let program: Program

    /// Starts a program that is looked for in `PATH`.
    ///
    /// - Parameter directory: The folder it runs in; `nil` for the test's own.
    public init(_ command: String, _ arguments: [String], in directory: String? = nil) throws {
        let output = try ProgramPipe()
        program = try Program(
            command, arguments, in: directory, output: .descriptor(output.writer.number),
            errors: .descriptor(output.writer.number))
        output.writer.close()
        Thread.detachNewThread { [lines, reading = output.reader] in
            var rest = ""
            while case let bytes = reading.read(), !bytes.isEmpty {
                var parts = (rest + String(decoding: bytes, as: UTF8.self)).components(separatedBy: "\n")
                rest = parts.removeLast()
                for line in parts { lines.record(line) }
            }
        }
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
        let errors = try ProgramPipe()
        let program = try Program(command, arguments, in: directory, errors: .descriptor(errors.writer.number))
        errors.writer.close()
        let text = errors.reader.readAll()
        guard program.wait() == .code(0) else {
            throw Failure(description: "\(command) \(arguments): \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// A program ended badly.
    public struct Failure: Error, CustomStringConvertible {
        /// The command, and what it wrote to standard error.
        public let description: String
    }
}
