import Foundation
import Synchronization
import TestSupport

/// A host that runs as a child process, with a client's hands on its streams.
///
/// It is killed when the test releases it.
final class HostProcess: Sendable {
    /// How a process ended.
    enum Ending: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    /// Where the host is: beside the tests.
    static let path: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "BridgeHost").path
    }()

    let pid: pid_t
    /// What the client writes to.
    let input: Pipe
    /// What the client reads from.
    let output: Pipe
    /// The lines of standard error.
    let log = Recorder<String>()
    private let ending = Recorder<Ending>()
    /// Keeps a pipe open without a reader.
    private let unreadLog: Pipe.End?

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
        let (input, output, errors) = (try Pipe(), try Pipe(), try Pipe())
        self.input = input
        self.output = output
        pid = try Self.spawn(
            path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
            streams: [input.reader.number, output.writer.number, errors.writer.number])
        input.reader.close()
        output.writer.close()
        errors.writer.close()
        unreadLog = readsLog ? nil : errors.reader
        if readsLog { Self.read(errors.reader, into: log) }
        Thread.detachNewThread { [ending, pid] in
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) == -1, errno == EINTR {}
            let number = status & 0x7F
            ending.record(number == 0 ? .code(status >> 8 & 0xFF) : .signal(number))
        }
    }

    deinit {
        if ending.all.isEmpty { kill(pid, SIGKILL) }
    }

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
    func signal(_ number: Int32) { kill(pid, number) }

    /// Whether it has ended.
    var hasEnded: Bool { !ending.all.isEmpty }

    /// Waits for its end.
    @discardableResult
    func end() async throws -> Ending { try await ending.values(atLeast: 1)[0] }

    /// How much memory it has in use, in bytes.
    func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    private static func read(_ errors: Pipe.End, into log: Recorder<String>) {
        Thread.detachNewThread {
            var rest = ""
            while case let bytes = errors.read(), !bytes.isEmpty {
                rest += String(decoding: bytes, as: UTF8.self)
                let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
                for line in lines.dropLast() { log.record(String(line)) }
                rest = String(lines.last ?? "")
            }
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], streams: [Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in streams.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // What other tests have open would keep their pipes and ports from closing.
        for number in Int32(3)..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, number) }
        var argv = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var envp = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let error = unsafe posix_spawn(&pid, path, &actions, nil, &argv, &envp)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return pid
    }
}
