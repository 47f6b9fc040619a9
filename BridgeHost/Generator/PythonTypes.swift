import Bridge
import JSONRPC
import TrackerModels

/// The named schemas as types of Python.
enum PythonTypes {
    static var text: String {
        let shown = NamedSchema.all.filter { $0.isShown && !classes.contains($0.name) }
        let shared = typedDict(
            ClientOptions.name, ClientOptions.summary, ClientOptions.members, isArgument: true, base: "TypedDict")
        let codes = ErrorReference.everywhere.map(\.code)
        let errors = alias("HostErrorCode", "The code of an error that the host answers.", codes)
        let types = [head, OutgoingCallType.python] + shared + shown.map(declaration) + [errors]
        return types.joined(separator: "\n\n\n") + "\n"
    }

    /// What is a class of the package, or no argument there.
    private static let classes: Set = [
        "ReactNativeConfig", "Outcome", "AcceptedOutcome", "DroppedOutcome", "FlushReport",
    ]

    private static let head = """
        # Made by `make generate` from the host's method table: a change here is lost.
        \"\"\"What calls take and give, for type checkers. At run time all of it is strings and dictionaries.\"\"\"

        from __future__ import annotations

        from collections.abc import Mapping, Sequence
        from datetime import datetime
        from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
        from uuid import UUID

        Properties: TypeAlias = Mapping[str, object]
        \"\"\"The properties of an event, the data of a profile and the like.\"\"\"


        Id: TypeAlias = str | int | UUID
        \"\"\"The id of a user, a visitor or a group: text, or a whole number or a UUID, which stands for its text.\"\"\"


        Timestamp: TypeAlias = datetime | str
        \"\"\"When something happened: a datetime, or ISO 8601 with the zone, such as `2025-11-27T10:30:00.000Z`.\"\"\"
        """

    private static func declaration(of named: NamedSchema) -> String {
        switch named.schema {
        case .object(let members, _) where !members.isEmpty:
            let (own, hasShared) = ClientOptions.split(members)
            return typedDict(
                named.name, named.summary, own, isArgument: arguments.contains(named.name),
                base: hasShared ? ClientOptions.name : "TypedDict"
            ).joined(separator: "\n\n\n")
        case .choice(let words):
            return alias(named.name, named.summary, words)
        default:
            return "\(named.name): TypeAlias = \(named.schema.python(in: named.name))\n\"\"\"\(named.summary)\"\"\""
        }
    }

    private static func alias(_ name: String, _ summary: String, _ words: [String]) -> String {
        let list = words.map { "    \"\($0)\",\n" }.joined()
        return "\(name): TypeAlias = Literal[\n\(list)]\n\"\"\"\(PythonNames.sentence(summary))\"\"\""
    }

    /// The types of arguments: what a program writes, it may also write as the bridge has it.
    private static let arguments = Set(BridgedMethod.all.flatMap { $0.method.parameters.compactMap(\.schema) })

    /// The class, after those of its members.
    private static func typedDict(
        _ name: String, _ summary: String, _ members: [Schema.Member], isArgument: Bool, base: String
    ) -> [String] {
        var before = members.flatMap { member -> [String] in
            guard let parts = member.schema.inlineMembers else { return [] }
            let summary = "The value of `\(PythonNames.snake(member.name))`."
            let type = Schema.pythonName(of: member.name, in: name)
            return typedDict(type, summary, parts, isArgument: isArgument, base: "TypedDict")
        }
        let own = isArgument ? bridgeKeys(of: members, in: name) : []
        if !own.isEmpty {
            let head = ["class _Bridge\(name)(\(base)):", "    \"\"\"The keys as the bridge has them.\"\"\"", ""]
            before.append((head + own).joined(separator: "\n"))
        }
        let head = "class \(name)(\(own.isEmpty ? base : "_Bridge\(name)")):"
        var lines = [head, "    \"\"\"\(PythonNames.sentence(summary))\"\"\"", ""]
        var names = Set<String>()
        // An alias of the bridge may be what the option is called here anyway.
        for member in members where names.insert(PythonNames.snake(member.name)).inserted {
            let type = member.schema.python(in: Schema.pythonName(of: member.name, in: name))
            lines.append("    \(PythonNames.snake(member.name)): \(member.isRequired ? type : "NotRequired[\(type)]")")
            if !member.summary.isEmpty { lines.append("    \"\"\"\(PythonNames.sentence(member.summary))\"\"\"") }
        }
        return before + [lines.joined(separator: "\n")]
    }

    /// The lines of those members that the bridge calls otherwise.
    private static func bridgeKeys(of members: [Schema.Member], in name: String) -> [String] {
        members.filter { PythonNames.snake($0.name) != $0.name }.map { member in
            "    \(member.name): NotRequired[\(member.schema.python(in: Schema.pythonName(of: member.name, in: name)))]"
        }
    }
}

extension Schema {
    /// The name of the type of a member that has members itself.
    static func pythonName(of member: String, in type: String) -> String {
        type + member.prefix(1).uppercased() + member.dropFirst()
    }

    /// The members, if this is an object with some, or may be one.
    var inlineMembers: [Member]? {
        switch self {
        case .object(let members, _): members.isEmpty ? nil : members
        case .oneOf(let schemas): schemas.lazy.compactMap(\.inlineMembers).first
        default: nil
        }
    }

    /// The description as a type of Python.
    ///
    /// - Parameter name: What the type is called if it needs a name.
    func python(in name: String) -> String {
        switch self {
        case .anything: "object"
        case .string: "str"
        case .boolean: "bool"
        case .null: "None"
        case .number: "float"
        case .integer: "int"
        case .choice(let words): "Literal[\(words.map { "\"\($0)\"" }.joined(separator: ", "))]"
        case .array(let element): "Sequence[\(element.python(in: name))]"
        case .object(let members, let others):
            members.isEmpty ? "Mapping[str, \((others ?? .anything).python(in: name))]" : name
        case .oneOf(let schemas): schemas.map { $0.python(in: name) }.joined(separator: " | ")
        case .reference(let name): name
        }
    }
}
