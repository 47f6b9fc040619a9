import Foundation
import Synchronization
import TrackerModels

/// The host, and a client's end of its streams.
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

    /// Starts the host beside this program.
    init() throws {
        let process = Process()
        process.executableURL =
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "BridgeHost")
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

    private func read() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Foundation.read(output.fileDescriptor, &buffer, buffer.count)
        guard count > 0 else { throw Failure(description: "The host has ended.") }
        return Array(buffer.prefix(count))
    }
}
