import Foundation
import Synchronization

/// A program that runs beside the tests. It is killed when nothing holds it any more.
///
/// Foundation's `Process` copies more than there is when it lists the open files, and crashes where many are open.
public final class Program: Sendable {
    /// What a standard stream leads to.
    public enum Stream: Sendable {
        /// Nothing: there is no input, and output vanishes.
        case null
        /// The same as in the tests.
        case inherited
        /// An open file.
        case descriptor(Int32)
    }

    /// How a program ended.
    public enum Ending: Hashable, Sendable {
        /// With this exit code.
        case code(Int32)
        /// By this signal.
        case signal(Int32)
    }

    /// Its number.
    public let pid: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program.
    ///
    /// It has no other open files, and no signal is ignored or held back.
    ///
    /// - Parameters:
    ///   - command: Its path, or a name that is looked for in `PATH`.
    ///   - environment: Its variables; `nil` for those of the tests.
    ///   - directory: The folder it runs in; `nil` for that of the tests.
    public init(
        _ command: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        in directory: String? = nil, input: Stream = .null, output: Stream = .null, errors: Stream = .inherited
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(Int32(0)..., [input, output, errors]) {
            switch stream {
            case .null: unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .inherited: break
            case .descriptor(let open): unsafe posix_spawn_file_actions_adddup2(&actions, open, number)
            }
        }
        // What other tests have open would keep their pipes and ports from closing.
        for number in Int32(3)..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, number) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = environment ?? ProcessInfo.processInfo.environment
        let words = directory.map { ["env", "-C", $0, command] + arguments } ?? [command] + arguments
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        var envp = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let error = unsafe posix_spawnp(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        self.pid = pid
    }

    deinit {
        kill()
        wait()
    }

    /// Runs a program to its end.
    @discardableResult
    public static func run(
        _ command: String, _ arguments: [String], in directory: String? = nil, errors: Stream = .inherited
    ) throws -> Ending {
        try Program(command, arguments, in: directory, errors: errors).wait()
    }

    /// Runs a program to its end, and takes what it writes to standard output.
    ///
    /// - Parameter input: What it reads.
    public static func output(
        of command: String, _ arguments: [String], input: [UInt8] = []
    ) throws -> (ending: Ending, bytes: [UInt8]) {
        let (toProgram, fromProgram) = (try ProgramPipe(), try ProgramPipe())
        let program = try Program(
            command, arguments, input: .descriptor(toProgram.reader.number),
            output: .descriptor(fromProgram.writer.number))
        toProgram.reader.close()
        fromProgram.writer.close()
        // It may write before it has read everything.
        Thread.detachNewThread {
            toProgram.writer.write(input)
            toProgram.writer.close()
        }
        let bytes = fromProgram.reader.readAll()
        return (program.wait(), bytes)
    }

    /// Whether it has not ended.
    public var isRunning: Bool { look(WNOHANG) == nil }

    /// Ends it as the system does when it must. Nothing happens to one that has ended.
    public func kill() { signal(SIGKILL) }

    /// Sends it a signal, unless it has ended.
    public func signal(_ number: Int32) {
        // While the lock is held nobody awaits it, so that its number cannot be another's.
        ending.withLock { if $0 == nil { _ = Foundation.kill(pid, number) } }
    }

    /// Stops it, and waits until none of its threads runs, or it has ended.
    public func stop() {
        signal(SIGSTOP)
        awaitChange(WSTOPPED | WEXITED)
    }

    /// Waits for its end.
    @discardableResult
    public func wait() -> Ending {
        awaitChange(WEXITED)
        return look(0) ?? .code(-1)
    }

    /// Waits for a change of its state, without taking its number away: others may send it signals meanwhile.
    private func awaitChange(_ changes: Int32) {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &information, changes | WNOWAIT) == -1, errno == EINTR {}
    }

    /// How it ended, if it has.
    private func look(_ options: Int32) -> Ending? {
        ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            var result: pid_t = 0
            repeat { result = unsafe waitpid(pid, &status, options) } while result == -1 && errno == EINTR
            guard result == pid else { return nil }
            let number = status & 0x7F
            ending = number == 0 ? .code(status >> 8 & 0xFF) : .signal(number)
            return ending
        }
    }
}
