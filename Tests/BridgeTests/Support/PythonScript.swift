import Foundation
import TestSupport

/// A script that runs in the Python of the tests, which has the packages of Tests/Scripts/requirements.txt.
enum PythonScript {
    /// What a script said, and how it ended.
    struct Outcome: Sendable {
        let ending: Program.Ending
        let output: String
        let errors: String
    }

    /// Runs one of the scripts in Tests/Scripts.
    static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appending(path: ".build/python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingPython(path: python) }
        let script = root.appending(path: "Tests/Scripts").appending(path: name).path
        let process = try HostProcess([script] + arguments, path: python)
        process.input.writer.close()
        let output = try await onThread { String(decoding: process.output.reader.readAll(), as: UTF8.self) }
        let ending = try await process.end()
        return Outcome(ending: ending, output: output, errors: process.log.all.joined(separator: "\n"))
    }
}

/// The Python of the tests cannot be run.
struct MissingPython: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) is missing or cannot be run; `.ci/setup tests` installs it." }
}
