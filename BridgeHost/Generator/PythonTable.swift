import Bridge
import JSONRPC
import TrackerModels

/// The method table as Python: what the Python client knows of each call.
enum PythonTable {
    static var text: String {
        let rows = ClientGroup.all.flatMap(\.rows)
        var options: [String] = []
        for case let (name, value)? in rows.flatMap(\.method.parameters).map(namesOfOptions)
        where !options.contains("\(name) = \(value)") {
            options.append("\(name) = \(value)")
        }
        let numbers = ErrorReference.everywhere.map { "    \"\($0.code)\": \($0.number),\n" }.joined()
        let ofState = RefusalReason.allCases.filter(\.holdsForOtherCalls).map { "\"\($0.rawValue)\"" }
        return """
            # Made by `make generate` from the host's method table: a change here is lost.
            \"\"\"What the client knows of each of the host's methods.\"\"\"

            from __future__ import annotations

            from ._row import Gives, Param, Row, names_of

            VERSION = "\(ProductVersion.current)"
            \"\"\"The version of the product.\"\"\"

            \(options.joined(separator: "\n\n"))

            ROWS: dict[str, Row] = {
                row.method: row
                for row in (
            \(rows.map(text).joined(separator: "\n"))
                )
            }
            \"\"\"The methods, by the names that the host has for them.\"\"\"

            NUMBERS: dict[str, int] = {
            \(numbers)}
            \"\"\"The number of each error that a message can carry.\"\"\"

            OF_STATE: set[str] = {\(ofState.joined(separator: ", "))}
            \"\"\"The reasons for a drop that are in the state of the tracker, and not in the call: they hold for others as well.\"\"\"

            """
    }

    private static func text(of row: BridgedMethod) -> String {
        let method = row.method
        let call = CallTraits(of: row)
        var members = ["\"\(method.name)\"", gives(call.result)]
        if !call.arguments.isEmpty {
            let params = call.arguments.map { "\n                \(param($0, of: call.result))," }.joined()
            members.append("params=(\(params)\n            )")
        }
        if let kind = call.messageID { members.append("message_id=\"\(kind.rawValue)\"") }
        if call.isScoped { members.append("is_scoped=True") }
        if call.repeats { members.append("repeats=True") }
        if call.isNamed { members.append("is_named=True") }
        if let person = row.person { members.append("person=\"\(PythonNames.snake(person))\"") }
        members += call.restores.map(text) ?? []
        if let ending = call.ends { members.append("ends=\"\(ending.rawValue)\"") }
        if call.isUrgent { members.append("is_urgent=True") }
        if let answer = row.whenOff { members.append("when_off=\(answer.text(quote: "\""))") }
        let line = "Row(\(members.joined(separator: ", ")))"
        // A row of a few words stands in a line.
        guard !call.arguments.isEmpty || line.count >= 100 else { return "        \(line)," }
        return "        Row(\n            \(members.joined(separator: ",\n            ")),\n        ),"
    }

    private static func gives(_ result: CallResult) -> String {
        switch result {
        case .outcome: "Gives.OUTCOME"
        case .nothing: "Gives.NOTHING"
        case .report: "Gives.REPORT"
        case .object: "Gives.OBJECT"
        case .member(let name): "Gives.MEMBER, member=\"\(name)\""
        }
    }

    private static func text(of restoration: Restoration) -> [String] {
        func list(_ words: [String]) -> String { "(\(words.map { "\"\($0)\"," }.joined(separator: " ")))" }
        let word = ["restores=\"\(restoration.word)\""]
        return switch restoration {
        case .setup(let code, let again, let once):
            word + (code.map { ["holds_after=\"\($0.rawValue)\""] } ?? [])
                + (again.isEmpty ? [] : ["again={\(again.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", "))}"])
                + (once.isEmpty ? [] : ["once=\(list(once))"])
        case .user(let dropped): word + ["holds_if_dropped=\(list(dropped.map(\.rawValue)))"]
        case .consent, .credentials, .defaults, .ends, .endsBrand: word
        }
    }

    private static func param(_ parameter: Parameter, of result: CallResult) -> String {
        let members =
            [
                "\"\(parameter.name)\"", "\"\(parameter.kind.rawValue)\"", parameter.isRequired ? "True" : "False",
                "\"\(result.fault(of: parameter))\"",
            ] + (namesOfOptions(in: parameter).map { [$0.name] } ?? [])
            + (parameter.role == parameter.name ? [] : ["member=\"\(PythonNames.snake(parameter.role))\""])
        return "Param(\(members.joined(separator: ", ")))"
    }

    /// A constant with the host's names of the options in a parameter, if it has some; Python's follow from them.
    private static func namesOfOptions(in parameter: Parameter) -> (name: String, value: String)? {
        guard let schema = parameter.schema, let options = NamedSchema.named(schema)?.schema.inlineMembers else {
            return nil
        }
        return ("_" + PythonNames.snake(schema).uppercased(), names(of: options, indentation: 0))
    }

    private static func names(of options: [Schema.Member], indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation + 4)
        var lines = [""]
        // Python's own spelling of an option follows from its name.
        let own = options.filter { !$0.isAlias }
        for option in own where option.schema.inlineMembers == nil {
            let word = "\"\(option.name)\", "
            if lines[lines.count - 1].count + word.count > 116 - indentation { lines.append("") }
            lines[lines.count - 1] += word
        }
        lines = lines.map { margin + $0.dropLast() }
        lines += own.compactMap { option in
            option.schema.inlineMembers.map {
                "\(margin)\(option.name)=\(names(of: $0, indentation: indentation + 4)),"
            }
        }
        return "names_of(\n\(lines.joined(separator: "\n"))\n\(margin.dropLast(4)))"
    }
}
