import Foundation
import JSONRPC
import TestSupport
import Testing
import TrackerModels

@testable import Bridge
@testable import BridgeGenerator

@Suite("What is made from the method table")
struct ReferenceTests {
    /// The repository's folder.
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("is up to date: `make generate` would change nothing", arguments: GeneratedFile.all.map(\.path))
    func isFresh(path: String) throws {
        let file = try #require(GeneratedFile.all.first { $0.path == path })
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)

        #expect(file.text(replacing: text) == text, "\(path) is not what the method table makes: run `make generate`")
        // A file whose marks were lost would never be out of date.
        #expect(text.lowercased().contains("made by `make generate`"))
    }

    @Test(
        "every manifest of a package has the product's version: `make generate` writes it",
        arguments: GeneratedFile.manifests.map(\.path))
    func manifests(path: String) throws {
        let file = try #require(GeneratedFile.manifests.first { $0.path == path })
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let older = text.replacing("\"\(ProductVersion.current)\"", with: "\"0.0.1\"", maxReplacements: 1)

        #expect(file.text(replacing: text) == text)
        #expect(older != text && file.text(replacing: older) == text)
    }

    @Test("the reference names every method and every error once")
    func referenceIsComplete() throws {
        let text = try String(contentsOf: Self.root.appending(path: "Docs/Bridge.md"), encoding: .utf8)
        let sections = text.matches(of: /### `([^`]+)`/).map { String($0.1) }

        #expect(sections == BridgedMethod.all.map(\.method.name))
        for error in ErrorReference.all { #expect(text.contains("| `\(error.code)` | \(error.number) |")) }
    }

    @Test("a number of the host's own means one error, be it a method's or that of a connection")
    func numbersAreUnique() {
        let own = ErrorReference.everywhere.map(\.number).filter { $0 > 0 }

        #expect(Set(own).count == own.count)
        #expect(own.contains(RPCError.notAdmitted("").number.rawValue))
    }

    @Test("every schema that a row names exists, and every schema and example is JSON")
    func schemasExist() {
        let names = Set(NamedSchema.all.map(\.name))

        for row in BridgedMethod.all {
            #expect(names.contains(row.method.result), "\(row.method.name)")
            for schema in row.method.parameters.compactMap(\.schema) { #expect(names.contains(schema)) }
            #expect((try? JSONText(validating: row.example))?.kind == .array, "\(row.method.name)")
        }
        for named in NamedSchema.all { #expect((try? JSONText(validating: named.example)) != nil, "\(named.name)") }
        #expect(names.count == NamedSchema.all.count)
    }

    @Test("rpc.discover is valid OpenRPC, and every example fits its schema")
    func discovery() async throws {
        let folder = try TemporaryDirectory()
        let document = try await BridgeClient().call("rpc.discover")
        try document.description.write(toFile: folder.path("openrpc.json"), atomically: true, encoding: .utf8)

        let docs = Self.root.appending(path: "Docs/Bridge.md").path
        let outcome = try await PythonScript.run("check_openrpc.py", [folder.path("openrpc.json"), docs])

        #expect(outcome.ending == .code(0), "\(outcome.output)\(outcome.errors)")
    }
}
