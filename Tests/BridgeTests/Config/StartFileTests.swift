import Foundation
import JSONRPC
import TestSupport
import Testing
import TrackerModels

@testable import Bridge

@Suite("The file of --config")
struct StartFileTests {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("clients.json")
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func calls(in text: String) throws -> [String] {
        try StartFile.calls(in: Array(text.utf8)).map { "\($0.method) \($0.params.text?.text ?? "")" }
    }

    @Test("gives the calls that set clients up, in the order of the methods, whatever its own")
    func calls() throws {
        #expect(
            try calls(
                in: """
                    {"basic.initialize": ["key", "https://e.example"], "analytics.initialize": {"options": {}},
                    "init": {"brandId": "1", "config": {"apiUrl": "https://a.example"}}}
                    """) == [
                    #"init {"brandId":"1","config":{"apiUrl":"https://a.example","sessionCreation":"inBackground"}}"#,
                    #"analytics.initialize {"options":{}}"#,
                    #"basic.initialize ["key","https://e.example"]"#,
                ])
    }

    @Test(
        "has the session made in the background, in whichever form init is: nobody waits for it",
        arguments: [
            (#"["1"]"#, #"["1",{"sessionCreation":"inBackground"}]"#),
            (#"["1", null]"#, #"["1",{"sessionCreation":"inBackground"}]"#),
            (#"["1", {"debug": true}]"#, #"["1",{"debug":true,"sessionCreation":"inBackground"}]"#),
            (
                #"["1", {"sessionCreation": "duringInit"}]"#, #"["1",{"sessionCreation":"inBackground"}]"#
            ),
            (#"{"brandId": "1"}"#, #"{"brandId":"1","config":{"sessionCreation":"inBackground"}}"#),
            (#"[{"apiKey": "1"}]"#, #"[{"apiKey":"1","sessionCreation":"inBackground"}]"#),
            (#"{"apiKey": "1"}"#, #"{"apiKey":"1","sessionCreation":"inBackground"}"#),
            (#"["1", "config"]"#, #"["1","config"]"#), ("[]", "[]"),
            (#"["1", {"sessionCreation": null}]"#, #"["1",{"sessionCreation":"inBackground"}]"#),
            (#"["1", {"sessionCreation": "bogus"}]"#, #"["1",{"sessionCreation":"bogus"}]"#),
            (#"{"apiKey": "1", "sessionCreation": 1}"#, #"{"apiKey":"1","sessionCreation":1}"#),
        ])
    func background(params: String, sent: String) throws {
        #expect(try calls(in: #"{"init": \#(params)}"#) == ["init \(sent)"])
    }

    @Test(
        "says what is wrong with it, naming the key",
        arguments: [
            ("", "The file is no JSON"), (#"{"init": ["1"]"#, "The file is no JSON"),
            ("[]", "must be a JSON object with at least one of the keys 'init', 'analytics.initialize'"),
            ("{}", "must be a JSON object with at least one of the keys 'init', 'analytics.initialize'"),
            (#"{"analytics.initialise": []}"#, "is unknown. Did you mean 'analytics.initialize'?"),
            (#"{"Init": []}"#, "'Init' is unknown. Did you mean 'init'?"),
            (#"{"track": []}"#, "'track' is unknown. Known are 'init', 'analytics.initialize', 'basic.initialize'."),
            (#"{"init": "1"}"#, "'init' must be the params of the method: an array or an object."),
            (#"{"init": ["1"], "init": ["2"]}"#, "'init' is there twice: a file starts one client of a kind."),
            (#"{"init": ["1", {"xApiKey": "k", "xApiKey": "j"}]}"#, "'xApiKey' is there twice in one object"),
            (#"{"init": ["1", {"device": {"a": 1, "\u0061": 2}}]}"#, "'a' is there twice in one object"),
            (#"{"init": null}"#, "'init' must be the params of the method: an array or an object."),
        ])
    func faults(text: String, message: String) throws {
        try write(text)

        let error = #expect(throws: CommandFailure.self) { try StartFile(path: path) }

        #expect(error?.message.hasPrefix("--config \(path): ") == true)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("must be the user's alone", arguments: [0o644, 0o640, 0o620, 0o604, 0o602, 0o660])
    func rights(mode: Int) throws {
        try write(#"{"init": ["1"]}"#, mode: mode)

        let error = #expect(throws: CommandFailure.self) { try StartFile(path: path) }

        #expect(
            error?.message == "--config \(path): Others may use the file, which may hold keys: its mode is "
                + "0\(String(mode, radix: 8)) and must be 0600. Run: chmod 600 '\(path)'")
    }

    @Test("may be read-only")
    func readOnly() throws {
        try write(#"{"init": ["1"]}"#, mode: 0o400)

        #expect(try StartFile(path: path).calls.map(\.method) == ["init"])
    }

    @Test("must be there, be a file, and have no more than a megabyte")
    func others() throws {
        let missing = #expect(throws: CommandFailure.self) { try StartFile(path: path) }
        let directory = #expect(throws: CommandFailure.self) { try StartFile(path: folder.path) }
        try write(String(repeating: " ", count: 1 << 20) + #"{"init": ["1"]}"#)
        let long = #expect(throws: CommandFailure.self) { try StartFile(path: path) }

        #expect(missing?.message == "--config \(path): No such file or directory")
        #expect(directory?.message == "--config \(folder.path): Is a directory")
        #expect(long?.message == "--config \(path): The file is longer than 1048576 bytes.")
    }
}
