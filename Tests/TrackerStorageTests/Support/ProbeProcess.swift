import Foundation
import TestSupport

/// A process of its own with an outbox, which takes commands line by line.
///
/// Its answers are awaited by reading: it ends by itself when it is forgotten, and then the reading ends too.
final class ProbeProcess {
    private let program: Program
    private let input: ProgramPipe.End
    private let output: ProgramPipe.End
    private var buffer: [UInt8] = []
    /// News that came between answers.
    private(set) var events: [String] = []

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
    func ask(_ command: String) throws -> String {
        try tell(command)
        while let line = nextLine() {
            guard line.hasPrefix("event ") else { return line }
            events.append(line)
        }
        throw Ended(command: command)
    }

    /// The next line of the probe; `nil` when it has ended.
    func nextLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let bytes = output.read()
            guard !bytes.isEmpty else { return nil }
            buffer += bytes
        }
    }

    /// Reads what probes write, as it comes, so that none has to wait for a reader.
    ///
    /// - Returns: The lines of each, once they are enough, a probe has ended or none writes for 10 seconds.
    static func drain(_ probes: [ProbeProcess], until isEnough: ([[String]]) -> Bool) -> [[String]] {
        var lines: [[String]] = probes.map { _ in [] }
        var ports = probes.map { pollfd(fd: $0.output.number, events: Int16(POLLIN), revents: 0) }
        while !isEnough(lines) {
            let ready = unsafe poll(&ports, nfds_t(ports.count), 10_000)
            if ready == 0 { return lines }
            guard ready > 0 else { continue }
            for (index, probe) in probes.enumerated() where ports[index].revents != 0 {
                let bytes = probe.output.read()
                guard !bytes.isEmpty else { return lines }
                probe.buffer += bytes
                let whole = probe.buffer.lastIndex(of: UInt8(ascii: "\n")).map { probe.buffer[...$0] } ?? []
                lines[index] += whole.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
                probe.buffer.removeFirst(whole.count)
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
