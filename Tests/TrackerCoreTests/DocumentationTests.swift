import Foundation
import TestSupport
import Testing

@Suite("The Swift examples of the documentation")
struct DocumentationTests {
    /// One example, and where it stands.
    struct Example: Sendable, CustomTestStringConvertible {
        var place: String
        var code: String
        var testDescription: String { place }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The examples of the front page and of the pages beside it.
    ///
    /// Those with the calls of a plan are compiled with them by `collector-docs.test.js`, and those that are tests by
    /// `PageTests`.
    static let pages = (["README.md"] + files(in: "Docs", endingWith: ".md")).flatMap { examples(in: $0) { $0 } }
        .filter { !$0.code.contains("PlannedEvents(") && !$0.code.contains("import TrackerTesting") }

    /// The examples in comments of the modules.
    static let comments = files(in: "Modules", endingWith: ".swift").flatMap { path in
        examples(in: path) { line in
            let text = line.drop { $0 == " " }
            return text.hasPrefix("///") ? text.dropFirst(3).dropFirst(text.hasPrefix("/// ") ? 1 : 0) : ""
        }
    }

    @Test("compile as they stand in a main.swift, without a warning", arguments: pages)
    func page(example: Example) async throws {
        try await compile(example.code, in: "main.swift")
    }

    @Test(
        "that end a server at a signal do so, whichever module brings the signal",
        arguments: ["Foundation", "Dispatch"])
    func signal(module: String) async throws {
        let page = try #require(Self.pages.first { $0.code.contains("makeSignalSource") }).code
        let start = try #require(page.range(of: "let (signals")).lowerBound
        let end = try #require(page.range(of: "for await _ in signals {}")).upperBound
        // It says when the signal would be taken.
        let code = page[start..<end].replacing(
            "source.resume()",
            with: "source.setRegistrationHandler { @Sendable in _ = write(STDOUT_FILENO, \"R\", 1) }\nsource.resume()")
        let folder = try TemporaryDirectory()
        let modules = Set(["Dispatch", "Glibc", module]).sorted().map { "import \($0)\n" }.joined()
        try Data((modules + code).utf8).write(to: URL(filePath: folder.path("main.swift")))
        let words = [
            "-swift-version", "6", "-warnings-as-errors", folder.path("main.swift"), "-o", folder.path("server"),
        ]

        let ending = try await onThread { [words] in
            try ChildProcess.run("swiftc", words, in: folder.path)
            let pipe = try ProgramPipe()
            let program = try Program(folder.path("server"), output: .descriptor(pipe.writer.number))
            pipe.writer.close()
            _ = pipe.reader.read()
            program.signal(SIGTERM)
            return program.wait()
        }

        #expect(ending == .code(0))
    }

    @Test("in comments compile with the modules imported")
    func comment() async throws {
        let functions = Self.comments.enumerated().map { index, example in
            "// \(example.place)\nfunc example\(index)() async throws {\n\(example.code)\n}\n"
        }

        #expect(Self.comments.count >= 5)
        let imports = "import TrackerCore\nimport TrackerModels\nimport TrackerStorage\nimport TrackerTesting\n\n"
        try await compile(imports + functions.joined(), in: "Comments.swift")
    }

    /// Compiles a program as far as its types, with the modules that these tests were built with.
    private func compile(_ code: String, in name: String) async throws {
        let folder = try TemporaryDirectory()
        try Data(code.utf8).write(to: URL(filePath: folder.path(name)))
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let modules = URL(filePath: tests).deletingLastPathComponent().appending(path: "Modules").path
        var arguments = ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", modules]
        for module in ["CSQLite", "CCurl", "CZlib"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(modules)/../\(module).build/module.modulemap"]
        }

        await #expect(throws: Never.self) {
            try await onThread { [arguments] in
                try ChildProcess.run("swiftc", arguments + [folder.path(name)], in: folder.path)
            }
        }
    }

    private static func files(in folder: String, endingWith ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (names?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.sorted()
            .map { "\(folder)/\($0)" }
    }

    /// The fenced Swift blocks of a file.
    ///
    /// - Parameter content: What of a line belongs to the text.
    private static func examples(in path: String, _ content: (Substring) -> Substring) -> [Example] {
        // A file that cannot be read has no examples; that there are some is expected besides.
        let text = (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
        var examples: [Example] = []
        var block: [Substring]?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = content(line)
            if line == "```swift" {
                block = []
            } else if line == "```", let code = block {
                examples.append(Example(place: "\(path):\(index + 1)", code: code.joined(separator: "\n")))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return examples
    }
}
