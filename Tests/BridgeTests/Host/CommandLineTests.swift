import Foundation
import TestSupport
import Testing
import TrackerJSON
import TrackerModels

@Suite("The host's command line")
struct CommandLineTests {
    private func run(_ arguments: [String]) async throws -> (ending: Program.Ending, output: String, log: [String]) {
        let host = try HostProcess(arguments)
        host.input.writer.close()
        let output = try await onThread { String(decoding: host.output.reader.readAll(), as: UTF8.self) }
        return (try await host.end(), output, host.log.all)
    }

    @Test("--help explains every option")
    func help() async throws {
        let (ending, output, _) = try await run(["--help"])

        #expect(ending == .code(0))
        for option in [
            "--help", "--version", "--log-level", "--app-name", "--storage-dir", "--max-message-bytes",
            "--shutdown-timeout", "--inspect", "--list-refused", "--retry-refused", "--drop-refused", "--filter",
            "--config", "--deliver", "--timeout", "--metrics-file", "--format",
        ] {
            #expect(output.contains(option))
        }
    }

    @Test("--version gives the version that host.info gives, and that of libcurl")
    func version() async throws {
        let (ending, output, _) = try await run(["--version"])
        let client = try BridgeClient()

        let version = try await client.call("host.info")["version"]?.stringValue

        #expect(ending == .code(0))
        let lines = output.split(separator: "\n")
        #expect(lines.first.map(String.init) == "mobile-tracker \(version ?? "")")
        #expect(lines.count == 2 && lines[1].hasPrefix("libcurl ") && lines[1].last?.isNumber == true)
    }

    @Test("--version as JSON has them as members")
    func versionAsJSON() async throws {
        let (_, text, _) = try await run(["--version"])
        let lines = text.split(separator: "\n")

        let (ending, output, _) = try await run(["--version", "--log-format", "json"])

        #expect(ending == .code(0))
        let version = try JSONValue(JSONText(validating: Array(output.utf8)))
        #expect(version.objectValue?.map(\.key) == ["name", "version", "libcurl"])
        #expect(lines.first.map(String.init) == "mobile-tracker \(version["version"]?.stringValue ?? "")")
        #expect(lines.last.map(String.init) == "libcurl \(version["libcurl"]?.stringValue ?? "")")
    }

    @Test(
        "what it does not understand is an error of usage",
        arguments: [
            ["--frobnicate"], ["init"], ["--log-level"], ["--log-level", "loud"], ["--max-message-bytes", "-1"],
            ["--max-message-bytes=x"], ["--shutdown-timeout", "soon"], ["--storage-dir", ""], ["--help=me"],
            ["--inspect"],
        ])
    func usage(arguments: [String]) async throws {
        let host = try HostProcess(arguments)

        #expect(try await host.end() == .code(64))
        let lines = try await host.log.values(atLeast: 1)
        #expect(lines[0].contains(arguments[0].prefix { $0 != "=" }))
        #expect(host.output.reader.readAll().isEmpty)
    }

    @Test(
        "a command about a folder that is not there fails, and says so",
        arguments: [
            ["--inspect"], ["--format", "openmetrics", "--inspect"], ["--list-refused"], ["--retry-refused"],
            ["--drop-refused"],
        ])
    func folderOfNothing(arguments: [String]) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path("file")
        try Data().write(to: URL(fileURLWithPath: file))

        for (path, reason) in [(folder.path("none"), "No such file or directory"), (file, "is no folder")] {
            let host = try HostProcess(arguments + [path])

            #expect(try await host.end() == .code(1))
            let log = try await host.log.values(atLeast: 1)
            #expect(log.count == 1 && log[0].contains(path) && log[0].contains(reason), "\(log)")
            #expect(host.output.reader.readAll().isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }

    @Test("a filter that is none is a wrong option", arguments: ["{", #"{"clients":[]}"#])
    func filter(_ filter: String) async throws {
        let folder = try TemporaryDirectory()
        let host = try HostProcess(["--list-refused", folder.path(""), "--filter", filter])

        #expect(try await host.end() == .code(64))
        try await host.logged("--filter")
    }

    @Test(
        "ends quietly if its reader wants no more, as head does",
        arguments: [["--inspect"], ["--help"], ["--version"], ["--list-refused"]])
    func reader(arguments: [String]) async throws {
        let folder = try TemporaryDirectory()
        let (output, errors) = (try ProgramPipe(), try ProgramPipe())
        output.reader.close()
        let takesFolder = !["--help", "--version"].contains(arguments[0])

        let program = try Program(
            HostProcess.path, arguments + (takesFolder ? [folder.path("")] : []),
            output: .descriptor(output.writer.number), errors: .descriptor(errors.writer.number))
        output.writer.close()
        errors.writer.close()
        let (said, ending) = try await onThread { (errors.reader.readAll(), program.wait()) }

        #expect(said.isEmpty)
        // A shell does not report the end by this signal.
        #expect([.signal(SIGPIPE), .code(0)].contains(ending))
    }

    @Test("a time that is most likely meant in another unit is a warning")
    func doubt() async throws {
        let host = try HostProcess(["--shutdown-timeout", "5"])
        host.input.writer.close()

        #expect(try await host.end() == .code(0))
        try await host.logged(
            "warning: --shutdown-timeout 5 means 5 milliseconds. If that is not what you mean, write 5s.")
    }

    @Test("--log-level decides what goes to standard error", arguments: [("error", 0), ("warning", 1)])
    func logLevel(level: String, lines: Int) async throws {
        let client = try BridgeClient(["--log-level", level])

        try await client.call("track", ["DROPPED"])
        try await client.finish()

        // Standard error ends with the host, and so does its reading.
        if lines > 0 { try await client.host.log.values(atLeast: lines) }
        #expect(client.host.log.all.filter { $0.contains("Not initialized") }.count == lines)
    }
}
