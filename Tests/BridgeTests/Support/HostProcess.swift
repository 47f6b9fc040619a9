import Foundation
import Synchronization
import TestSupport

/// A host that runs as a child process, with a client's hands on its streams.
///
/// It is killed when the test releases it.
final class HostProcess: Sendable {
    /// Where the host is: beside the tests.
    static let path: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "BridgeHost").path
    }()

    /// The time for its end where a test is not about it: it only ends a host that hangs.
    static let patience = ["--shutdown-timeout", "\(min(60 * guardFactor, 600))s"]

    /// The time for its end where a test waits until it is over. In the last fifth the host only answers, which must be
    /// enough for a machine under load.
    static let deadline = ["--shutdown-timeout", isSanitized ? "30s" : "15s"]

    private let program: Program
    /// What the client writes to.
    let input: ProgramPipe
    /// What the client reads from.
    let output: ProgramPipe
    /// The lines of standard error.
    let log = Recorder<String>()
    private let ending = Recorder<Program.Ending>()
    /// Keeps a pipe open without a reader.
    private let unreadLog: ProgramPipe.End?

    /// Starts a host.
    ///
    /// - Parameters:
    ///   - arguments: Its command line.
    ///   - environment: Variables besides those of the tests.
    ///   - path: What to start, if not the host.
    ///   - readsLog: Whether standard error is read.
    init(
        _ arguments: [String] = [], environment: [String: String] = [:], path: String = HostProcess.path,
        readsLog: Bool = true
    ) throws {
        let (input, output, errors) = (try ProgramPipe(), try ProgramPipe(), try ProgramPipe())
        self.input = input
        self.output = output
        program = try Program(
            path, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .descriptor(input.reader.number), output: .descriptor(output.writer.number),
            errors: .descriptor(errors.writer.number))
        input.reader.close()
        output.writer.close()
        errors.writer.close()
        unreadLog = readsLog ? nil : errors.reader
        let isRead = readsLog ? Self.read(errors.reader, into: log) : nil
        // A host starts no program, which could keep its standard error open.
        let hasLog = path == HostProcess.path
        Thread.detachNewThread { [ending, program] in
            let end = program.wait()
            if hasLog { isRead?.wait() }
            ending.record(end)
        }
    }

    deinit { program.kill() }

    var pid: pid_t { program.pid }

    /// Waits until it has logged a line that holds a text.
    ///
    /// - Returns: All lines so far.
    @discardableResult
    func logged(_ text: String) async throws -> [String] {
        var lines = log.all
        while !lines.contains(where: { $0.contains(text) }) { lines = try await log.values(atLeast: lines.count + 1) }
        return lines
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { program.signal(number) }

    /// Stops it, and waits until none of its threads runs.
    func stop() async throws { try await onThread { [program] in program.stop() } }

    /// Whether it has ended.
    var hasEnded: Bool { !ending.all.isEmpty }

    /// Waits for its end, and until what it has logged is read.
    @discardableResult
    func end() async throws -> Program.Ending { try await ending.values(atLeast: 1)[0] }

    /// How much memory it has in use, in bytes.
    func residentBytes() throws -> Int { try memory("VmRSS:") }

    /// The most memory that it has had in use so far, in bytes.
    func peakBytes() throws -> Int { try memory("VmHWM:") }

    private func memory(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    /// Reads the lines of standard error.
    ///
    /// - Returns: What is signalled once all are read.
    private static func read(_ errors: ProgramPipe.End, into log: Recorder<String>) -> DispatchSemaphore {
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { isRead.signal() }
            var rest = ""
            while case let bytes = errors.read(), !bytes.isEmpty {
                rest += String(decoding: bytes, as: UTF8.self)
                let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
                for line in lines.dropLast() { log.record(String(line)) }
                rest = String(lines.last ?? "")
            }
        }
        return isRead
    }
}
