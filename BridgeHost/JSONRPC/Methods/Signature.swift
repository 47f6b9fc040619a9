/// What a method is called and takes, as all its calls are checked against it.
final class Signature: Sendable {
    /// What is asked of a value with each call.
    struct Rule: Sendable {
        let kind: Parameter.Kind
        let isRequired: Bool
    }

    let method: String
    let parameters: [Parameter]
    /// By parameter: they are apart since looking at them touches no object.
    let rules: [Rule]
    /// How many values can be given by position.
    let positions: Int

    init(_ method: String, _ parameters: [Parameter]) {
        self.method = method
        self.parameters = parameters
        rules = parameters.map { Rule(kind: $0.kind, isRequired: $0.isRequired) }
        positions = parameters.prefix { !$0.isNamedOnly }.count
    }
}
