import Bridge
import Foundation
import JSONRPC
import Testing
import TrackerCore

@testable import BridgeHost

@Suite("HostOptions")
struct HostOptionsTests {
    @Test("are the usual ones without arguments")
    func defaults() throws {
        let options = try HostOptions(arguments: [])

        #expect(options.action == .serve)
        #expect(options.logLevel == .debug)
        #expect(options.logFormat == .text)
        #expect(!options.collectorPanel)
        #expect(options.appName == "default")
        #expect(options.storageDirectory == nil)
        #expect(options.limits.maxMessageBytes == 16_777_216)
        #expect(options.limits.shutdownTimeout == .milliseconds(1_500))
    }

    @Test(
        "take values after the option or an equals sign",
        arguments: [
            [
                "--log-level", "error", "--app-name", "@acme/shop", "--storage-dir", "/a=b", "--max-message-bytes",
                "1024", "--shutdown-timeout",
                "250",
            ],
            [
                "--log-level=error", "--app-name=@acme/shop", "--storage-dir=/a=b", "--max-message-bytes=1024",
                "--shutdown-timeout=0.25s",
            ],
        ]
    )
    func takesValues(_ arguments: [String]) throws {
        let options = try HostOptions(arguments: arguments)

        #expect(options.logLevel == .error)
        #expect(options.appName == "@acme/shop")
        #expect(options.storageDirectory == "/a=b")
        #expect(options.limits.maxMessageBytes == 1_024)
        #expect(options.limits.shutdownTimeout == .milliseconds(250))
    }

    @Test("record calls if they say so, besides what else they say")
    func record() throws {
        let options = try HostOptions(arguments: ["--record", "--log-level", "error"])

        #expect(options.isRecording && options.action == .serve && options.logLevel == .error)
        #expect(throws: UsageError(message: "--record takes no value")) { try HostOptions(arguments: ["--record=1"]) }
        #expect(try !HostOptions(arguments: []).isRecording)
    }

    @Test("take a relative state folder from where the host was started")
    func relativeFolder() throws {
        let options = try HostOptions(arguments: ["--storage-dir", "some/state"])

        #expect(options.storageDirectory == FileManager.default.currentDirectoryPath + "/some/state")
    }

    @Test(
        "read times",
        arguments: [("0", 0), ("1500", 1_500), ("1500ms", 1_500), ("1.5s", 1_500), ("2s", 2_000), ("600s", 600_000)]
    )
    func readsTimes(_ text: String, _ milliseconds: Int) throws {
        let options = try HostOptions(arguments: ["--shutdown-timeout", text])

        #expect(options.limits.shutdownTimeout == .milliseconds(milliseconds))
    }

    @Test("deliver for a minute, or as long as they say, wherever they say it; a number alone is seconds")
    func deliver() throws {
        func action(_ arguments: [String]) throws -> HostOptions.Action {
            try HostOptions(arguments: ["--config", "/c"] + arguments).action
        }

        #expect(try action(["--deliver"]) == .deliver(.seconds(60)))
        #expect(try action(["--deliver", "--timeout", "5"]) == .deliver(.seconds(5)))
        #expect(try action(["--timeout=0.5", "--deliver"]) == .deliver(.milliseconds(500)))
        #expect(try action(["--timeout", "250ms", "--deliver"]) == .deliver(.milliseconds(250)))
        #expect(try action(["--timeout", "2s", "--deliver"]) == .deliver(.seconds(2)))
    }

    @Test(
        "take a mode as chmod does, with and without a 0 in front",
        arguments: [("660", AgentSocket.Mode.group), ("0660", .group), ("00660", .group), ("600", .user)])
    func modes(_ text: String, _ mode: AgentSocket.Mode) throws {
        #expect(try HostOptions(arguments: ["--listen", "/a", "--listen-mode", text]).listenMode == mode)
    }

    @Test(
        "have doubts of a number that is most likely meant in another unit, and take it as it is",
        arguments: [
            (
                ["--shutdown-timeout", "5"],
                "--shutdown-timeout 5 means 5 milliseconds. If that is not what you mean, write 5s."
            ),
            (
                ["--config", "/c", "--deliver", "--timeout", "60000"],
                "--timeout 60000 means 60000 seconds. If that is not what you mean, write 60000ms."
            ),
            (["--shutdown-timeout", "0"], nil), (["--shutdown-timeout", "250"], nil),
            (["--shutdown-timeout", "5ms"], nil),
            (["--shutdown-timeout", "5s"], nil), (["--config", "/c", "--deliver", "--timeout", "3600"], nil),
        ] as [([String], String?)])
    func doubts(_ arguments: [String], _ doubt: String?) throws {
        #expect(try HostOptions(arguments: arguments).doubts == (doubt.map { [$0] } ?? []))
    }

    @Test("take relative paths of files from where the host was started")
    func files() throws {
        let options = try HostOptions(arguments: ["--config", "c.json", "--metrics-file=m.prom"])

        #expect(options.startFile == FileManager.default.currentDirectoryPath + "/c.json")
        #expect(options.metricsFile == FileManager.default.currentDirectoryPath + "/m.prom")
        #expect(options.action == .serve)
    }

    @Test("take the collector's panel without a value, and go on")
    func collectorPanel() throws {
        let options = try HostOptions(arguments: ["--collector-panel", "--log-format", "json", "--log-level", "error"])

        #expect(options.collectorPanel)
        #expect(options.logFormat == .json)
        #expect(options.logLevel == .error)
        #expect(throws: UsageError.self) { try HostOptions(arguments: ["--log-format", "xml"]) }
    }

    @Test("stop at a question", arguments: [("--help", HostOptions.Action.help), ("--version", .version)])
    func stops(_ argument: String, _ action: HostOptions.Action) throws {
        #expect(try HostOptions(arguments: [argument, "--bogus"]).action == action)
        for arguments in [[argument, "--log-format", "json"], ["--log-format", "json", argument]] {
            let options = try HostOptions(arguments: arguments)

            #expect(options.action == action)
            #expect(options.logFormat == .json)
        }
    }

    @Test(
        "say what is wrong",
        arguments: [
            (["--bogus"], "unknown argument '--bogus'"), (["-h"], "unknown argument '-h'"),
            (["file"], "unknown argument 'file'"), ([""], "unknown argument ''"),
            (["--log-level"], "--log-level needs a value: error, warning, info or debug"),
            (
                ["--storage-dir="],
                "--storage-dir needs a value: a path in which the home folder is written out"
            ),
            (["--inspect", "--format", "json"], "--inspect needs a value: a path"),
            (["--lisen", "/a"], "unknown argument '--lisen'; did you mean --listen?"),
            (["--storage=/a"], "unknown argument '--storage=/a'; did you mean --storage-dir?"),
            (["--listen_mode", "0660"], "unknown argument '--listen_mode'; did you mean --listen-mode?"),
            (
                ["--listen", "/a", "--listen-mode", "666"],
                "--listen-mode must be 0600, this user alone, or 0660, the socket's group too, not '666'"
            ),
            (["--storage-dir=~/x"], "--storage-dir must be a path in which the home folder is written out, not '~/x'"),
            (["--help=yes"], "--help takes no value"),
            (["--deliver"], "--deliver needs --config"), (["--deliver=60"], "--deliver takes no value"),
            (["--config", "/a", "--timeout", "60"], "--timeout needs --deliver"),
            (["--config", "~/a"], "--config must be a path in which the home folder is written out, not '~/a'"),
            (["--format", "openmetrics"], "--format needs --inspect"),
            (["--filter", "{}"], "--filter needs --list-refused or --retry-refused or --drop-refused"),
            (
                ["--inspect", "/a", "--filter", "{}"],
                "--filter needs --list-refused or --retry-refused or --drop-refused"
            ),
            (["--listen", "/a", "--config", "/c", "--deliver"], "--deliver and --listen exclude each other"),
            (["--config", "/c", "--record", "--deliver"], "--record and --deliver exclude each other"),
            (["--list-refused", "/a", "--record"], "--record and --list-refused exclude each other"),
            (["--drop-refused", "/a", "--list-refused", "/a"], "--list-refused and --drop-refused exclude each other"),
            (["--inspect", "/a", "--format", "xml"], "--format must be json or openmetrics, not 'xml'"),
            (["--log-level", "loud"], "--log-level must be error, warning, info or debug, not 'loud'"),
        ]
    )
    func explains(_ arguments: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try HostOptions(arguments: arguments) }

        #expect(error?.message == message)
    }

    @Test(
        "refuse numbers that are none or out of range",
        arguments: [
            ("--max-message-bytes", ["0", "-1", "1k", "1.5", "1073741825", "99999999999999999999"]),
            (
                "--shutdown-timeout",
                ["-1", "-1s", "s", "ms", "1m", "601s", "600001", "1e3", "nan", "inf", "infs", "1.2.3s"]
            ),
            ("--timeout", ["-1", "s", ".", "1m", "86401", "1.2.3", "soon"]),
        ]
    )
    func refuses(_ option: String, _ values: [String]) {
        for value in values {
            #expect(throws: UsageError.self, "\(value)") { try HostOptions(arguments: ["\(option)=\(value)"]) }
        }
    }
}
