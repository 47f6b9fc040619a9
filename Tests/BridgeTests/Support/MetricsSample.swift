import Foundation
import TestSupport

/// Metrics as a reader of their text has them.
struct MetricsSample {
    /// The values, by all that stands before them in a line.
    let values: [String: Double]

    init(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        values = Dictionary(
            lines.compactMap { line in
                let end = line.lastIndex(of: " ") ?? line.endIndex
                return Double(line[end...].dropFirst()).map { (String(line[..<end]), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a metric of a client.
    ///
    /// - Parameters:
    ///   - name: What it is called, without what all names begin with.
    ///   - client: The client.
    subscript(name: String, client: String) -> Double? { values[#"mobile_tracker_\#(name){client="\#(client)"}"#] }

    /// The values of a metric of a client, by reason.
    func reasons(_ name: String, _ client: String) -> [String: Double] {
        let start = #"mobile_tracker_\#(name){client="\#(client)",reason=""#
        return Dictionary(
            uniqueKeysWithValues: values.compactMap { key, value in
                key.hasPrefix(start) ? (String(key.dropFirst(start.count).dropLast(2)), value) : nil
            })
    }
}

/// Prometheus's own check.
enum Promtool {
    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/prometheus/usr/bin/promtool")
        .path

    /// What it finds in metrics; empty if nothing.
    static func check(metrics: String) async throws -> String {
        try await check(["metrics"], input: metrics)
    }

    /// What it finds in a file of alerts; empty if nothing.
    static func check(rules path: String) async throws -> String {
        try await check(["rules", path])
    }

    /// What does not fire as a file of tests says; empty if all does.
    static func test(rules path: String) async throws -> String {
        try await run(["test", "rules", path])
    }

    private static func check(_ arguments: [String], input: String = "") async throws -> String {
        try await run(["check"] + arguments, input: input)
    }

    private static func run(_ arguments: [String], input: String = "") async throws -> String {
        guard FileManager.default.isExecutableFile(atPath: path) else { throw MissingPromtool(path: path) }
        let process = try HostProcess(arguments, path: path)
        process.input.writer.write(Array(input.utf8))
        process.input.writer.close()
        let output = try await onThread { String(decoding: process.output.reader.readAll(), as: UTF8.self) }
        let ending = try await process.end()
        return ending == .code(0) ? "" : "\(ending)\n" + output + process.log.all.joined(separator: "\n")
    }
}

/// Prometheus's command is not there.
struct MissingPromtool: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) is missing; `.ci/setup tests` unpacks it." }
}
