package import TrackerJSON

/// The values that a method was called with, each at the place of its parameter, however the caller gave them.
///
/// They are checked before the method sees them: all that are required are there, all have their kind, and none is
/// unknown.
package struct Arguments: Sendable {
    private let signature: Signature
    private let params: Params
    /// By parameter: where its value is among those given, or ``absent``. Empty if they stand as the parameters do.
    private let positions: [Int]

    private static let absent = -1

    /// Checks params against what a method takes.
    ///
    /// - Parameters:
    ///   - params: What was given.
    ///   - method: The method's name, for errors.
    ///   - parameters: What the method takes; those with a position first.
    /// - Throws: INVALID_PARAMS naming the param, or the parameter's own error if it is absent.
    package init(_ params: Params, for method: String, taking parameters: [Parameter]) throws(RPCError) {
        try self.init(params, of: Signature(method, parameters))
    }

    /// Checks params against a method's signature; throws as ``init(_:for:taking:)`` does.
    init(_ params: Params, of signature: Signature) throws(RPCError) {
        self.signature = signature
        self.params = params
        switch params.form {
        case .none: positions = []
        case .positional:
            try Self.checkCount(params, signature)
            positions = []
        case .named: positions = try Self.byName(params, signature.method, signature.parameters)
        case .notSerializable(let fault): throw Self.notSerializable(fault, signature.method)
        }
        try check()
    }

    /// Takes params as they are.
    ///
    /// - Parameters:
    ///   - params: What was given. Positional values are at the places of the parameters; of named ones, those with a
    ///     parameter's name are.
    ///   - method: The method's name, for errors.
    ///   - parameters: What the method takes.
    /// - Throws: INVALID_PARAMS if there is nothing that can be passed on.
    package init(unchecked params: Params, for method: String, taking parameters: [Parameter]) throws(RPCError) {
        try self.init(unchecked: params, of: Signature(method, parameters))
    }

    /// Takes params as they are; throws as ``init(unchecked:for:taking:)`` does.
    init(unchecked params: Params, of signature: Signature) throws(RPCError) {
        if case .notSerializable(let fault) = params.form { throw Self.notSerializable(fault, signature.method) }
        self.signature = signature
        self.params = params
        guard params.form == .named else {
            positions = []
            return
        }
        positions = signature.parameters.map { parameter in
            params.position(of: parameter.name).map { Self.place($0, of: params) } ?? Self.absent
        }
    }

    /// Where the value of a parameter is among those given, or ``absent``.
    private func position(_ index: Int) -> Int {
        positions.isEmpty ? Self.place(index, of: params) : positions[index]
    }

    /// All that was given: an array or an object, or `nil` for no params.
    package var text: JSONText? { params.text }

    /// The value of a parameter.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    package func value(_ index: Int) -> JSONText? {
        let position = position(index)
        return position == Self.absent ? nil : params.value(at: position)
    }

    /// The value of a parameter that is a string, exactly its characters.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    package func optionalString(_ index: Int) -> String? {
        let position = position(index)
        return position == Self.absent ? nil : params.string(at: position)
    }

    /// The value of a required parameter that is a string, exactly its characters.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    package func string(_ index: Int) throws(RPCError) -> String {
        try present(index, optionalString(index))
    }

    /// The value of a required parameter that is an id: exactly the characters of a string, or the digits of a number.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    package func id(_ index: Int) throws(RPCError) -> String {
        try present(index, optionalID(index))
    }

    /// The value of a parameter that is an id, as ``id(_:)`` has it; `nil` if it is absent or `null`.
    package func optionalID(_ index: Int) -> String? { optionalString(index) ?? value(index)?.idText }

    /// The value of a required parameter.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    package func text(_ index: Int) throws(RPCError) -> JSONText {
        try present(index, value(index))
    }

    /// The value of a parameter that is `true` or `false`.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    package func bool(_ index: Int) -> Bool? { value(index)?.boolValue }

    /// The value of a parameter that is an integer.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    package func integer(_ index: Int) -> Int64? { value(index)?.intValue }

    /// The value of a parameter that is a number, as the nearest double.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    /// - Throws: INVALID_PARAMS if the number is too large for a double.
    package func number(_ index: Int) throws(RPCError) -> Double? {
        guard let value = value(index) else { return nil }
        return try present(index, value.doubleValue)
    }

    /// The name of a parameter.
    ///
    /// - Parameter index: Its place in the method's list.
    package func name(_ index: Int) -> String { signature.parameters[index].name }

    /// Makes the error for a value of a parameter that the method does not accept.
    ///
    /// - Parameters:
    ///   - index: The parameter's place in the method's list.
    ///   - name: What the caller calls the parameter; `nil`: its name.
    ///   - word: What is wrong, as a stable word.
    ///   - facts: Where, and within which limits.
    ///   - sentence: The same in words.
    /// - Returns: An error to throw.
    package func fault(
        _ index: Int, named name: String? = nil, _ word: String, _ facts: JSONObject, _ sentence: String
    ) -> RPCError {
        let parameter = signature.parameters[index]
        var error = RPCError.invalidParam(name ?? parameter.name, of: signature.method, word, facts, sentence)
        if let reason = parameter.reason { error.details.append(RPCError.Detail("reason", reason)) }
        return error
    }

    private func fault(_ index: Int, _ fault: ValueFault, example: String? = nil) -> RPCError {
        var facts: JSONObject = [
            "option": .string(name(index)), "expected": .string(signature.rules[index].kind.expected.rawValue),
        ]
        if let example { facts["example"] = .string(example) }
        return self.fault(index, fault.rawValue, facts, TextTemplate.filled(fault.text, facts))
    }

    private func present<Value>(_ index: Int, _ value: Value?) throws(RPCError) -> Value {
        guard let value else { throw fault(index, .wrongKind) }
        return value
    }

    private func check() throws(RPCError) {
        for index in signature.rules.indices {
            let (rule, position) = (signature.rules[index], position(index))
            guard position != Self.absent else {
                guard rule.isRequired else { continue }
                throw signature.parameters[index].errorIfAbsent ?? fault(index, .required)
            }
            guard rule.kind.accepts(params.kind(at: position), params.value(at: position)) else {
                throw fault(index, .wrongKind, example: signature.parameters[index].example)
            }
        }
    }

    private static func notSerializable(_ fault: ValueFault, _ method: String) -> RPCError {
        var facts: JSONObject = ["option": "params"]
        facts.merge(fault.facts)
        return .invalidParam(nil, of: method, fault.rawValue, facts, TextTemplate.filled(fault.text, facts))
    }

    private static func checkCount(_ params: Params, _ signature: Signature) throws(RPCError) {
        let most = signature.positions
        guard params.count <= most else {
            let params = params.count == 1 ? "1 param" : "\(params.count) params"
            throw .invalidParams(
                "\(signature.method): got \(params), takes \(most == 0 ? "none" : "\(most) at most")",
                of: signature.method)
        }
    }

    private static func byName(
        _ params: Params, _ method: String, _ parameters: [Parameter]
    ) throws(RPCError) -> [Int] {
        var positions = [Int](repeating: absent, count: parameters.count)
        var next = 0
        for position in 0..<params.count {
            // Most callers keep the order of the parameters: the next one is the first to be looked at.
            guard
                let step = parameters.indices.first(where: {
                    params.isNamed(parameters[(next + $0) % parameters.count].name, at: position)
                })
            else { throw unknown(params.name(at: position), method, parameters) }
            let index = (next + step) % parameters.count
            positions[index] = place(position, of: params)
            next = index + 1
        }
        return positions
    }

    /// A position, if there is a value and it is not `null`.
    private static func place(_ position: Int, of params: Params) -> Int {
        guard position < params.count else { return absent }
        return if case .null = params.kind(at: position) { absent } else { position }
    }

    private static func unknown(_ name: String, _ method: String, _ parameters: [Parameter]) -> RPCError {
        let name = String(name.prefix(80))
        var facts: JSONObject = ["option": .string(name)]
        if let nearest = SpellingSuggestion.nearest(to: name, among: parameters.map(\.name)) {
            facts["suggestion"] = .string(nearest)
        } else if !parameters.isEmpty {
            facts["known"] = .array(parameters.filter { !$0.isOfLibrary }.map { .string($0.name) })
        }
        let fault = ValueFault.unknown
        return .invalidParam(name, of: method, fault.rawValue, facts, TextTemplate.filled(fault.text, facts))
    }
}
