import Foundation
import Synchronization
import TestSupport
import TrackerModels

/// The host, and a client's end of its streams.
///
/// It is killed when nothing holds it any more.
final class HostClient: Sendable {
    /// What could not be had from the host.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let program: Program
    private let input: ProgramPipe.End
    private let output: ProgramPipe.End
    private let rest = Mutex<[UInt8]>([])

    /// Starts the host beside this program.
    init() throws {
        let path =
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "BridgeHost")
            .path
        let (toHost, fromHost) = (try ProgramPipe(), try ProgramPipe())
        program = try Program(
            path, input: .descriptor(toHost.reader.number), output: .descriptor(fromHost.writer.number), errors: .null)
        toHost.reader.close()
        fromHost.writer.close()
        (input, output) = (toHost.writer, fromHost.reader)
    }

    var pid: pid_t { program.pid }

    /// Kills it and waits for its end.
    func kill() {
        program.kill()
        program.wait()
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
    func write(_ bytes: [UInt8]) throws {
        guard input.write(bytes) else { throw Failure(description: "The host has ended.") }
    }

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
        let bytes = output.read()
        guard !bytes.isEmpty else { throw Failure(description: "The host has ended.") }
        return bytes
    }
}
