import TrackerModels

/// What a JSON value may be: the one description from which JSON Schema, TypeScript and the reference are written.
package indirect enum Schema: Sendable {
    case anything
    case string
    case boolean
    case null
    case number(least: Double?, most: Double?)
    case integer(least: Int64?, most: Int64?)
    case choice([String])
    case array(of: Schema)
    /// An object; `others` says what members that are not named may be, `nil` that there are none.
    case object([Member], others: Schema?)
    case oneOf([Schema])
    /// The schema of that name in ``Schemas``.
    case reference(String)

    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let isRequired: Bool
        package let summary: String
        /// Whether it is another package's spelling of a member.
        package var isAlias = false

        /// A member that is always there.
        static func required(_ name: String, _ schema: Schema, _ summary: String = "") -> Member {
            Member(name: name, schema: schema, isRequired: true, summary: summary)
        }

        /// A member that may be left out.
        static func optional(_ name: String, _ schema: Schema, _ summary: String = "") -> Member {
            Member(name: name, schema: schema, isRequired: false, summary: summary)
        }

        /// Another package's spelling of a member.
        static func alias(_ name: String, of field: String, _ schema: Schema) -> Member {
            Member(name: name, schema: schema, isRequired: false, summary: "The same as `\(field)`.", isAlias: true)
        }
    }

    static let number = Schema.number(least: nil, most: nil)
    static let integer = Schema.integer(least: nil, most: nil)
    static let count = Schema.integer(least: 0, most: nil)
    static let anyObject = Schema.object([], others: .anything)

    var orNull: Schema { .oneOf([self, .null]) }
}

extension Schema {
    /// The description as JSON Schema (draft 7).
    var json: JSONObject {
        switch self {
        case .anything: [:]
        case .string: ["type": "string"]
        case .boolean: ["type": "boolean"]
        case .null: ["type": "null"]
        case .number(let least, let most):
            Self.limited("number", least.flatMap { JSONValue($0) }, most.flatMap { JSONValue($0) })
        case .integer(let least, let most):
            Self.limited("integer", least.map { JSONValue($0) }, most.map { JSONValue($0) })
        case .choice(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .array(let element): ["type": "array", "items": .object(element.json)]
        case .object(let members, let others): Self.json(members, others)
        case .oneOf(let schemas): ["anyOf": .array(schemas.map { .object($0.json) })]
        case .reference(let name): ["$ref": .string("#/components/schemas/\(name)")]
        }
    }

    private static func limited(_ type: String, _ least: JSONValue?, _ most: JSONValue?) -> JSONObject {
        var json: JSONObject = ["type": .string(type)]
        json["minimum"] = least
        json["maximum"] = most
        return json
    }

    private static func json(_ members: [Member], _ others: Schema?) -> JSONObject {
        var json: JSONObject = ["type": "object"]
        if !members.isEmpty {
            json["properties"] = .object(JSONObject(members.map { ($0.name, .object($0.json)) }))
        }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { json["required"] = .array(required) }
        json["additionalProperties"] = others.map { .object($0.json) } ?? false
        return json
    }
}

extension Schema.Member {
    /// The member's schema with its description.
    fileprivate var json: JSONObject {
        guard !summary.isEmpty else { return schema.json }
        // Beside a reference, draft 7 reads nothing.
        if case .reference = schema { return ["allOf": [.object(schema.json)], "description": .string(summary)] }
        var json = schema.json
        json["description"] = .string(summary)
        return json
    }
}
