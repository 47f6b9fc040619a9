import Bridge
import JSONRPC
import TrackerModels

/// The method table as Python: what the Python client knows of each call.
enum PythonTable {
    static var text: String {
        let rows = ClientGroup.all.flatMap { $0.rows.map { row(of: $0.method) } }
        let numbers = ErrorReference.everywhere.map { "    \"\($0.code)\": \($0.number),\n" }.joined()
        return """
            # Made by `make generate` from the host's method table: a change here is lost.
            \"\"\"What the client knows of each of the host's methods.\"\"\"

            from __future__ import annotations

            from ._row import Gives, Name, Param, Row

            VERSION = "\(ProductVersion.current)"
            \"\"\"The version of the product.\"\"\"

            ROWS: dict[str, Row] = {
            \(rows.joined(separator: "\n"))
            }
            \"\"\"The methods, by the names that the host has for them.\"\"\"

            NUMBERS: dict[str, int] = {
            \(numbers)}
            \"\"\"The number of each error that a message can carry.\"\"\"

            """
    }

    private static func row(of method: Method<HostSession>) -> String {
        let call = CallTraits(of: method)
        var members = ["\"\(method.name)\"", gives(call.result, method)]
        if !call.arguments.isEmpty {
            let params = call.arguments.map { "\n            \(param($0, of: call.result))," }.joined()
            members.append("params=(\(params)\n        )")
        }
        if let kind = call.messageID { members.append("message_id=\"\(kind.rawValue)\"") }
        if call.repeats { members.append("repeats=True") }
        if call.isNamed { members.append("is_named=True") }
        return "    \"\(method.name)\": Row(\n        \(members.joined(separator: ",\n        ")),\n    ),"
    }

    private static func gives(_ result: CallResult, _ method: Method<HostSession>) -> String {
        switch result {
        case .outcome: "Gives.OUTCOME"
        case .nothing: "Gives.NOTHING"
        case .object: method.result == "FlushReport" ? "Gives.REPORT" : "Gives.OBJECT"
        case .member(let name): "Gives.MEMBER,\n        member=\"\(name)\""
        }
    }

    private static func param(_ parameter: Parameter, of result: CallResult) -> String {
        var members = [
            "\"\(parameter.name)\"", "\"\(PythonNames.snake(parameter.name))\"", "\"\(parameter.kind.rawValue)\"",
            parameter.isRequired ? "True" : "False", "\"\(result.fault(of: parameter))\"",
        ]
        if let options = parameter.schema.flatMap(NamedSchema.named)?.schema.inlineMembers {
            let names = names(of: options).map { "\n                \($0)," }.joined()
            members.append("{\(names)\n            }")
        }
        return "Param(\(members.joined(separator: ", ")))"
    }

    /// The names of options in Python, with those that the host has, where the two differ.
    private static func names(of options: [Schema.Member]) -> [String] {
        options.compactMap { option in
            let name = PythonNames.snake(option.name)
            let inner = names(of: option.schema.inlineMembers ?? []).joined(separator: ", ")
            guard name != option.name || !inner.isEmpty else { return nil }
            return "\"\(name)\": Name(\"\(option.name)\"\(inner.isEmpty ? "" : ", {\(inner)}"))"
        }
    }
}

/// How what the bridge names is called in Python.
enum PythonNames {
    /// A name in lower case with underscores: `eventTTLMs` is `event_ttl_ms`.
    static func snake(_ name: some StringProtocol) -> String {
        let letters = Array(name)
        var words = ""
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            if letter.isUppercase, index > 0, !letters[index - 1].isUppercase || next?.isLowercase == true {
                words += "_"
            }
            words += letter.lowercased()
        }
        return words
    }

    /// A sentence in which methods, params, options and values have their names in Python.
    static func sentence(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        return parts.enumerated().map { index, part in
            guard index % 2 == 1 else { return part }
            return values[part] ?? (known.contains(part) ? snake(part) : part)
        }.joined(separator: "`")
    }

    private static let values = ["null": "None", "true": "True", "false": "False"]

    private static let known: Set<String> = {
        let methods = BridgedMethod.all.map(\.method)
        let members = NamedSchema.all.flatMap { named in
            if case .object(let members, _) = named.schema { members.map(\.name) } else { [String]() }
        }
        return Set(methods.map(\.name) + methods.flatMap { $0.parameters.map(\.name) } + members)
    }()
}
