import TestSupport
import Testing
import TrackerModels

@Suite("Clients that others wrote")
struct OtherClientsTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    private func run(_ script: String) async throws {
        let config = backend.config(folder).description
        let outcome = try await PythonScript.run(script, [HostProcess.path, config])

        #expect(outcome.ending == .code(0), "\(outcome.output)\(outcome.errors)")
    }

    @Test("python-lsp-jsonrpc works as it is, over Content-Length")
    func languageServerClient() async throws {
        try await run("lsp_client.py")

        #expect(backend.eventNames == (0..<50).map { "E\($0)" })
    }

    @Test("jsonrpcclient works as it is, over lines")
    func lineClient() async throws {
        try await run("line_client.py")

        #expect(backend.eventNames == ["SILENT", "ONE", "QUIET", "TWO", "LAST"])
    }
}
