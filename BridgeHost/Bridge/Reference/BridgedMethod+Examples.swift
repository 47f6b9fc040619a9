package import JSONRPC
import TrackerModels

extension BridgedMethod {
    /// The example's params, in the order of the parameters.
    var exampleParams: [JSONText] { JSONText(literal: example).elements }

    /// What the example is answered with.
    var exampleResult: JSONText { NamedSchema.named(method.result)?.exampleText ?? .emptyObject }
}

extension NamedSchema {
    /// The example as text.
    var exampleText: JSONText { JSONText(literal: example) }
}

extension JSONText {
    /// JSON that stands in this module's sources; a slip there gives `null`, which the tests of the examples see.
    init(literal: String) {
        self = (try? JSONText(validating: literal)) ?? .null
    }
}

extension Parameter {
    /// What its value may be.
    package var described: Schema {
        if let schema { return .reference(schema) }
        return switch kind {
        case .string: .string
        case .number: .number
        case .integer: .integer
        case .boolean: .boolean
        case .object: .reference("Properties")
        case .array: .array(of: .anything)
        case .any: .anything
        }
    }
}
