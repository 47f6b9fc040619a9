import Bridge
import TrackerModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of the repository that is made from the method table, or has parts that are.
struct GeneratedFile: Sendable {
    /// Where it is, from the repository's root.
    let path: String
    private let write: @Sendable (String) -> String

    /// The file's text, made anew.
    ///
    /// - Parameter old: The text that it has; empty if there is none.
    func text(replacing old: String) -> String { write(old) }

    static let all = [
        GeneratedFile(path: "BridgeHost/Node/src/client/protocol.d.cts") { _ in TypeScriptDefinitions.text },
        GeneratedFile(path: "BridgeHost/Node/src/client/methods.js") { _ in NodeMethods.text },
        GeneratedFile(path: "BridgeHost/Node/src/client/functions.js") { _ in NodeMethods.functions },
        GeneratedFile(path: "BridgeHost/Node/src/client/texts.js") { _ in FaultTexts.javaScript },
        GeneratedFile(path: "BridgeHost/Python/src/mobiletracker/_texts.py") { _ in FaultTexts.python },
        GeneratedFile(path: "BridgeHost/Python/src/mobiletracker/protocol.py") { _ in PythonTypes.text },
        GeneratedFile(path: "BridgeHost/Python/src/mobiletracker/_table.py") { _ in PythonTable.text },
        GeneratedFile(path: "BridgeHost/Python/src/mobiletracker/_calls.py") { _ in PythonCalls.text },
        GeneratedFile(path: "Docs/Bridge.md") { old in
            [
                ("methods", MethodReference.methods), ("errors", MethodReference.errors),
                ("types", MethodReference.types),
            ].reduce(old) { replacingPart($1.0, of: $0, with: $1.1) }
        },
        GeneratedFile(path: "Docs/Delivery.md") { old in
            replacingPart("options", of: old, with: OptionReference.delivery)
        },
    ]

    /// Every manifest of a package, in which the product's version stands.
    static let manifests = [
        GeneratedFile(path: "BridgeHost/Node/package.json") { old in
            replacingVersion(in: old, after: #""version": ""#)
        }
    ]

    /// Writes every file and manifest whose text has changed, below the current folder.
    static func writeAll() {
        for file in all + manifests {
            let url = URL(fileURLWithPath: file.path)
            // A file that does not exist yet is made.
            let old = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            let new = file.text(replacing: old)
            guard new != old else { continue }
            do {
                try new.write(to: url, atomically: true, encoding: .utf8)
                print("wrote \(file.path)")
            } catch {
                print("cannot write \(file.path): \(error)")
            }
        }
    }

    /// Replaces the version that follows the first such mark, up to the next quotation mark.
    private static func replacingVersion(in text: String, after mark: String) -> String {
        guard let begin = text.place(of: mark) else { return text }
        let rest = text[begin.upperBound...]
        guard let end = rest.firstIndex(of: "\"") else { return text }
        return text[..<begin.upperBound] + ProductVersion.current + rest[end...]
    }

    /// Replaces what stands between the marks of a part.
    private static func replacingPart(_ name: String, of text: String, with part: String) -> String {
        let (begin, end) = ("<!-- \(name): made by `make generate` -->\n", "<!-- end of \(name) -->")
        guard let head = text.place(of: begin), let tail = text.place(of: end),
            head.upperBound <= tail.lowerBound
        else { return text }
        return text[..<head.upperBound] + part + "\n" + text[tail.lowerBound...]
    }
}

extension ErrorReference {
    /// The errors of the host, and those that native clients, the Node client and the Python client raise themselves.
    static let everywhere =
        all + [
            ErrorReference(.serializationFailed, "A value cannot be written as JSON."),
            ErrorReference(.networkError, "The network failed."),
        ]
}
