import Foundation
import Synchronization
import TrackerModels

/// A program that reads lines and writes lines, such as the host, and a client's end of its streams.
///
/// It is killed when nothing holds it any more.
final class HostClient: Sendable {
    /// What could not be had from the host.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let pid: pid_t
    private let process: Mutex<Process>
    private let input: FileHandle
    private let output: FileHandle
    private let rest = Mutex<[UInt8]>([])

    /// Starts the host beside this program, or another program.
    init(_ path: String? = nil) throws {
        let process = Process()
        process.executableURL =
            path.map { URL(fileURLWithPath: $0) }
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "BridgeHost")
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        pid = process.processIdentifier
        self.process = Mutex(process)
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
    }

    deinit { process.withLock { if $0.isRunning { _ = Foundation.kill($0.processIdentifier, SIGKILL) } } }

    /// Kills it and waits for its end.
    func kill() {
        _ = Foundation.kill(pid, SIGKILL)
        process.withLock { $0.waitUntilExit() }
    }

    /// Calls a method and waits for its result.
    @discardableResult
    func call(_ method: String, _ params: JSONValue = []) throws -> JSONValue {
        try write(Self.line(method, params.description))
        let answer = JSONValue(try JSONText(validating: try readLine()))
        guard let result = answer["result"] else { throw Failure(description: "\(method): \(answer)") }
        return result
    }

    /// One call as a line.
    static func line(_ method: String, _ params: String) -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#.utf8) + [0x0A]
    }

    /// Writes bytes; waits until there is room.
    func write(_ bytes: [UInt8]) throws { try input.write(contentsOf: Data(bytes)) }

    /// Reads one line, without its end.
    func readLine() throws -> [UInt8] {
        try rest.withLock { rest in
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    defer { rest.removeFirst(end + 1) }
                    return Array(rest[..<end])
                }
                rest += try read()
            }
        }
    }

    /// Reads that many lines, whatever is in them.
    func skipLines(_ count: Int) throws {
        var left = count
        while left > 0 { left -= try read().count { $0 == 0x0A } }
    }

    /// The processor time that it has used.
    func processorTime() throws -> Duration {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
        return .seconds(user + system) / sysconf(Int32(_SC_CLK_TCK))
    }

    /// The memory that it has in use, in MiB.
    func residentMebibytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) >> 10
    }

    private func read() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Foundation.read(output.fileDescriptor, &buffer, buffer.count)
        guard count > 0 else { throw Failure(description: "The host has ended.") }
        return Array(buffer.prefix(count))
    }
}
