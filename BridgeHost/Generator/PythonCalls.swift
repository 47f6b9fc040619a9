import Bridge
import JSONRPC
import TrackerModels

/// The method table as classes of Python: one function a method.
enum PythonCalls {
    /// Which methods a class has, and what they give.
    private enum Form: CaseIterable {
        /// Those with an outcome, for both kinds of program: what stands for the outcome is a parameter of the class.
        case outcomes
        /// The others, for a program that waits where it asks.
        case synchronous
        /// The others, for a program with an event loop: every call gives what can be awaited.
        case asynchronous
    }

    static var text: String {
        let classes = ClientGroup.all.flatMap { group in Form.allCases.map { text(of: $0, for: group) } }
        return ([head] + classes).joined(separator: "\n\n") + "\n"
    }

    private static func text(of form: Form, for group: ClientGroup) -> String {
        let outcomes = "\(group.name)Outcomes"
        let declaration =
            switch form {
            case .outcomes: "\(outcomes)(\(group.isScoped ? "ScopedCaller" : "OutcomeCaller")[T])"
            case .synchronous: "\(group.name)Calls(\(outcomes)[Receipt], Caller)"
            case .asynchronous: "Async\(group.name)Calls(\(outcomes)[Awaited[Outcome]], AsyncCaller)"
            }
        let rows = group.rows.filter { ($0.method.result == "Outcome") == (form == .outcomes) }
        let functions = rows.map { function(of: $0, named: PythonNames.snake(group.name(of: $0)), form) }
        let head = "\nclass \(declaration):\n    \"\"\"\(group.summary)\"\"\""
        return ([head] + functions).joined(separator: "\n\n")
    }

    private static var head: String {
        let types = usedTypes.sorted().map { "\n    \($0)," }.joined()
        return """
            # Made by `make generate` from the host's method table: a change here is lost.
            \"\"\"The calls of a program that waits, and of one with an event loop.\"\"\"

            from __future__ import annotations

            from collections.abc import Sequence
            from typing import TypeVar

            from ._params import OMITTED, Omitted, call_options
            from .outcome import FlushReport, Outcome
            from .protocol import (\(types)
            )
            from ._scope import ScopedCaller
            from .receipt import AsyncCaller, Awaited, Caller, OutcomeCaller, Receipt

            T = TypeVar("T")
            """
    }

    /// The types that calls take and give, but for those that are classes of the package.
    private static var usedTypes: Set<String> {
        let types = ClientGroup.all.flatMap(\.rows).flatMap { row in
            let method = row.method
            return method.parameters.filter { !$0.isOfLibrary }.map(type)
                + keywords(of: method).map { $0.schema.python(in: "") }
                + [result(of: row)]
        }
        let names = types.flatMap { $0.split(separator: " | ") }
            .map { $0.hasPrefix("Sequence[") ? String($0.dropFirst("Sequence[".count).dropLast()) : String($0) }
        return Set(names.filter { $0.first?.isUppercase == true && !["None", "Outcome", "FlushReport"].contains($0) })
    }

    private static func function(of row: BridgedMethod, named name: String, _ form: Form) -> String {
        let method = row.method
        let named = method.parameters.filter(\.isMessageID).map(argument)
        let list =
            ["self"] + method.parameters.filter { !$0.isNamedOnly }.map(argument)
            + (named.isEmpty ? [] : ["*"] + keywords(of: method).map(argument) + named)
        let type = result(of: row)
        let call = call(of: row)
        let (returns, body) =
            switch (form, type) {
            case (.outcomes, _): ("T", "return self._enqueue(\(call))")
            case (.asynchronous, _): ("Awaited[\(type)]", "return self._call(\(call))")
            case (.synchronous, "None"): ("None", "self._ask(\(call))")
            case (.synchronous, _): (type, "result: \(type) = self._ask(\(call))\n        return result")
            }
        let own = keywords(of: method).map { "\(PythonNames.snake($0.name))=\(PythonNames.snake($0.name))" }
        let values = (["options"] + own).joined(separator: ", ")
        let merged = own.isEmpty ? "" : "options = call_options(\n            \(values)\n        )\n        "
        let line = "    def \(name)(\(list.joined(separator: ", "))) -> \(returns):"
        let lines = "    def \(name)(\n        \(list.joined(separator: ",\n        ")),\n    ) -> \(returns):"
        return "\(line.count <= 120 ? line : lines)\n\(documentation(of: method))\n        \(merged)\(body)"
    }

    /// What a call says about itself, as keywords beside the object that may hold the same: what no argument says.
    private static func keywords(of method: Method<HostSession>) -> [Schema.Member] {
        guard let options = method.parameters.first(where: \.isCallOptions)?.schema,
            case .object(let members, _)? = NamedSchema.named(options)?.schema
        else { return [] }
        let arguments = Set(method.parameters.map(\.role))
        return members.filter { !arguments.contains($0.name) }
    }

    /// An id that is `None` is not one that was left out.
    private static func argument(_ keyword: Schema.Member) -> String {
        "\(PythonNames.snake(keyword.name)): \(keyword.schema.python(in: "")) | Omitted = OMITTED"
    }

    private static func argument(_ parameter: Parameter) -> String {
        let argument = "\(PythonNames.snake(parameter.name)): \(type(of: parameter))"
        return parameter.isRequired ? argument : "\(argument) | None = None"
    }

    /// What is handed on: the method, its arguments and the message id.
    private static func call(of row: BridgedMethod) -> String {
        let traits = CallTraits(of: row)
        let hasID = traits.messageID != nil
        let values = traits.arguments.map { PythonNames.snake($0.name) }
        let list = "(\(values.joined(separator: ", "))\(values.count == 1 ? "," : ""))"
        let words =
            ["\"\(row.method.name)\""] + (values.isEmpty && !hasID ? [] : [list]) + (hasID ? ["message_id"] : [])
        return words.joined(separator: ", ")
    }

    private static func documentation(of method: Method<HostSession>) -> String {
        let summary = PythonNames.sentence(method.summary)
        let described =
            method.parameters.filter { !$0.isNamedOnly }.map { ($0.name, $0.summary) }
            + keywords(of: method).map { ($0.name, $0.summary) }
            + method.parameters.filter(\.isMessageID).map { ($0.name, $0.summary) }
        let named = described.filter { !$0.1.isEmpty }.map { name, summary in
            "        :param \(PythonNames.snake(name)): \(PythonNames.sentence(summary))"
        }
        let errors = method.errors.map { "`\($0)`" }.joined(separator: ", ")
        let lines = named + (errors.isEmpty ? [] : ["        :raises MobileTrackerError: \(errors)"])
        guard !lines.isEmpty else { return "        \"\"\"\(summary)\"\"\"" }
        return "        \"\"\"\(summary)\n\n\(lines.joined(separator: "\n"))\n        \"\"\""
    }

    private static func type(of parameter: Parameter) -> String {
        switch (parameter.schema, parameter.kind) {
        case ("Milliseconds"?, _): "int"
        case ("MessageId"?, _), ("BrandIdOrReactNativeConfig"?, _): "str"
        case (let schema?, _): schema
        case (nil, .string): "str"
        case (nil, .id): "Id"
        case (nil, .number): "float"
        case (nil, .integer): "int"
        case (nil, .boolean): "bool"
        case (nil, .object): "Properties"
        case (nil, .array): "object"
        }
    }

    /// The type of what a call comes to.
    private static func result(of row: BridgedMethod) -> String {
        if CallResult(of: row) == .nothing { return "None" }
        guard let named = NamedSchema.named(row.method.result) else { return "object" }
        return named.onlyMember.map { $0.schema.python(in: named.name) } ?? named.name
    }
}
