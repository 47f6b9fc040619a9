import Foundation
import Synchronization
import TestSupport

/// A process of its own with an outbox, which takes commands line by line.
///
/// Its answers are awaited by reading: it ends by itself when it is forgotten, and then the reading ends too.
final class ProbeProcess: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var events: [String] = []
    }

    private let program: Program
    private let input: ProgramPipe.End
    private let output: ProgramPipe.End
    private let state = Mutex(State())

    /// Starts the probe.
    ///
    /// - Parameter wrapping: What starts it: a command that takes the probe's path in place of `$0`.
    init(_ wrapping: String = "exec \"$0\"") throws {
        let (toProbe, fromProbe) = (try ProgramPipe(), try ProgramPipe())
        program = try Program(
            "/bin/sh", ["-c", wrapping, Self.path], input: .descriptor(toProbe.reader.number),
            output: .descriptor(fromProbe.writer.number))
        toProbe.reader.close()
        fromProbe.writer.close()
        (input, output) = (toProbe.writer, fromProbe.reader)
    }

    deinit { kill() }

    /// What came between answers.
    var events: [String] { state.withLock { $0.events } }

    /// Where the probe was built: beside the tests.
    static var path: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "StorageProbe"
        )
        .path
    }

    /// Tells the probe something.
    func tell(_ command: String) throws {
        guard input.write(Array((command + "\n").utf8)) else { throw Ended(command: command) }
    }

    /// Tells the probe something and waits for the answer.
    func ask(_ command: String) async throws -> String {
        try tell(command)
        return try await onThread { [self] in
            while let line = nextLine() {
                guard line.hasPrefix("event ") else { return line }
                state.withLock { $0.events.append(line) }
            }
            throw Ended(command: command)
        }
    }

    /// The next line of the probe; `nil` when it has ended.
    func nextLine() -> String? {
        state.withLock { state in
            while true {
                if let end = state.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { state.buffer.removeFirst(end + 1) }
                    return String(decoding: state.buffer[..<end], as: UTF8.self)
                }
                let bytes = output.read()
                guard !bytes.isEmpty else { return nil }
                state.buffer += bytes
            }
        }
    }

    /// Reads what probes write, as it comes, so that none has to wait for a reader.
    ///
    /// - Returns: The lines of each, once they are enough, a probe has ended or none writes for a minute.
    static func drain(
        _ probes: [ProbeProcess], until isEnough: @escaping @Sendable ([[String]]) -> Bool
    ) async throws -> [[String]] {
        try await onThread { drainHere(probes, until: isEnough) }
    }

    private static func drainHere(_ probes: [ProbeProcess], until isEnough: ([[String]]) -> Bool) -> [[String]] {
        var lines: [[String]] = probes.map { _ in [] }
        var ports = probes.map { pollfd(fd: $0.output.number, events: Int16(POLLIN), revents: 0) }
        while !isEnough(lines) {
            let ready = unsafe poll(&ports, nfds_t(ports.count), Int32(60_000 * guardFactor))
            if ready == 0 { return lines }
            guard ready > 0 else { continue }
            for (index, probe) in probes.enumerated() where ports[index].revents != 0 {
                let bytes = probe.output.read()
                guard !bytes.isEmpty else { return lines }
                probe.state.withLock { state in
                    state.buffer += bytes
                    let whole = state.buffer.lastIndex(of: UInt8(ascii: "\n")).map { state.buffer[...$0] } ?? []
                    lines[index] += whole.split(separator: UInt8(ascii: "\n"))
                        .map { String(decoding: $0, as: UTF8.self) }
                    state.buffer.removeFirst(whole.count)
                }
            }
        }
        return lines
    }

    /// The lines until the probe's end.
    func rest() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        return lines
    }

    /// The most memory that it has had in use so far, in bytes.
    func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    /// Lets the probe end by itself, and waits for that.
    func end() {
        input.close()
        program.wait()
    }

    /// Ends the probe as the system does when it must.
    func kill() {
        program.kill()
        program.wait()
    }

    /// The probe ended instead of answering.
    struct Ended: Error {
        var command: String
    }
}
