import Bridge
import JSONRPC
import TrackerModels

/// The method table as Markdown, with an example of every call and its answer.
enum MethodReference {
    /// Every method, one section each.
    static var methods: String {
        BridgedMethod.all.map(section).joined(separator: "\n\n")
    }

    /// The errors, one row each.
    static var errors: String {
        let rows = ErrorReference.all.map { "| `\($0.code)` | \($0.number) | \($0.summary) |" }
        return (["| `data.code` | `code` | when |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// What params, results and notifications are made of, one section each.
    static var types: String {
        NamedSchema.all.map { named in
            var lines = ["### \(named.name)", "", named.summary, ""]
            if case .object(let members, _) = named.schema, !members.isEmpty {
                lines += ["| member | value | meaning |", "|---|---|---|"]
                lines += members.map { member in
                    "| `\(member.name)`\(member.isRequired ? "" : "?") | \(member.schema.phrase) | \(member.summary) |"
                }
            } else {
                lines.append("Is: \(named.schema.phrase).")
            }
            lines += ["", "```", named.example, "```"]
            return lines.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func section(_ row: BridgedMethod) -> String {
        let method = row.method
        var lines = ["### `\(method.name)`", "", method.summary]
        if !method.parameters.isEmpty {
            lines += ["", "| param | value | meaning |", "|---|---|---|"]
            lines += method.parameters.map { parameter in
                let need = parameter.isRequired ? "required" : parameter.isNamedOnly ? "optional, by name" : "optional"
                return "| `\(parameter.name)` | \(parameter.described.phrase), \(need) | \(parameter.summary) |"
            }
        }
        let result = NamedSchema.named(method.result)
        lines += ["", "Answers `\(method.result)`\(result.map { ": \($0.summary.lowercasedFirst)" } ?? "")"]
        if !method.errors.isEmpty {
            lines += ["", "Errors: \(method.errors.map { "`\($0)`" }.joined(separator: ", "))."]
        }
        lines += ["", "```json", call(row), answer(row), "```"]
        return lines.joined(separator: "\n")
    }

    private static func call(_ row: BridgedMethod) -> String {
        let params = row.example == "[]" ? "" : #", "params": \#(row.example)"#
        return #"{"jsonrpc": "2.0", "id": 1, "method": "\#(row.method.name)"\#(params)}"#
    }

    private static func answer(_ row: BridgedMethod) -> String {
        let example = NamedSchema.named(row.method.result)?.example ?? "{}"
        return #"{"jsonrpc": "2.0", "id": 1, "result": \#(example)}"#
    }
}

extension Schema {
    /// The description in a few words of Markdown.
    fileprivate var phrase: String {
        switch self {
        case .anything: "anything"
        case .string: "string"
        case .boolean: "boolean"
        case .null: "null"
        case .number(let least, let most): Self.phrase("number", least.map { "\($0)" }, most.map { "\($0)" })
        case .integer(let least, let most): Self.phrase("integer", least.map { "\($0)" }, most.map { "\($0)" })
        case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .array(let element): "array of \(element.phrase)"
        case .object(let members, _):
            members.isEmpty ? "object" : "object with " + members.map { "`\($0.name)`" }.joined(separator: ", ")
        case .oneOf(let schemas):
            schemas.filter { if case .null = $0 { false } else { true } }.map(\.phrase).joined(separator: " or ")
        case .reference(let name): "`\(name)`"
        }
    }

    private static func phrase(_ type: String, _ least: String?, _ most: String?) -> String {
        switch (least, most) {
        case (let least?, let most?): "\(type) from \(least) to \(most)"
        case (let least?, nil): "\(type), at least \(least)"
        case (nil, let most?): "\(type), at most \(most)"
        case (nil, nil): type
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
