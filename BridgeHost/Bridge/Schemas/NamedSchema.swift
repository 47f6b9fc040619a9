/// A schema that parameters and results refer to by its name.
package struct NamedSchema: Sendable {
    /// The name: a TypeScript type's as well.
    package let name: String
    /// What such a value is, in a sentence.
    package let summary: String
    package let schema: Schema
    /// A value that fits, as JSON.
    package let example: String

    init(_ name: String, _ summary: String, _ schema: Schema, example: String) {
        self.name = name
        self.summary = summary
        self.schema = schema
        self.example = example
    }

    package static func named(_ name: String) -> NamedSchema? { all.first { $0.name == name } }

    /// Every named schema, in the order in which they are shown.
    package static let all = results + values + configurations + notifications
}
