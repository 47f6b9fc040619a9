import Bridge

extension Schema {
    /// The description as a TypeScript type.
    ///
    /// - Parameter indentation: How far the line is indented in which the type begins.
    func typeScript(indentation: Int = 0) -> String {
        switch self {
        case .anything: "unknown"
        case .string: "string"
        case .boolean: "boolean"
        case .null: "null"
        case .number, .integer: "number"
        case .choice(let words): words.map { "'\($0)'" }.joined(separator: " | ")
        case .array(let element): "Array<\(element.typeScript(indentation: indentation))>"
        case .object(let members, let others): Self.typeScript(members, others, indentation)
        case .oneOf(let schemas):
            schemas.map { $0.typeScript(indentation: indentation) }.joined(separator: " | ")
        case .reference(let name): name
        }
    }

    private static func typeScript(_ members: [Member], _ others: Schema?, _ indentation: Int) -> String {
        guard !members.isEmpty else {
            return others == nil ? "Record<string, never>" : "Record<string, unknown>"
        }
        let margin = String(repeating: " ", count: indentation + 4)
        var lines = ["{"]
        for member in members {
            if !member.summary.isEmpty { lines.append("\(margin)/** \(member.summary) */") }
            let type = member.schema.typeScript(indentation: indentation + 4)
            lines.append("\(margin)\(member.name)\(member.isRequired ? "" : "?"): \(type)")
        }
        if others != nil { lines.append("\(margin)[more: string]: unknown") }
        lines.append(String(repeating: " ", count: indentation) + "}")
        return lines.joined(separator: "\n")
    }
}
