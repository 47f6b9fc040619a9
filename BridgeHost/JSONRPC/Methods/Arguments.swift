public import TrackerJSON

/// The values that a method was called with, each at the place of its parameter, however the caller gave them.
///
/// They are checked before the method sees them: all that are required are there, all have their kind, and none is
/// unknown.
public struct Arguments: Sendable {
    private let method: String
    private let parameters: [Parameter]
    private let params: Params
    /// By parameter: where its value is among those given.
    private let positions: [Int?]

    /// Checks params against what a method takes.
    ///
    /// - Parameters:
    ///   - params: What was given.
    ///   - method: The method's name, for errors.
    ///   - parameters: What the method takes; those with a position first.
    /// - Throws: INVALID_PARAMS naming the param, or the parameter's own error if it is absent.
    public init(_ params: Params, for method: String, taking parameters: [Parameter]) throws(RPCError) {
        self.method = method
        self.parameters = parameters
        self.params = params
        switch params.form {
        case .none: positions = Array(repeating: nil, count: parameters.count)
        case .positional: positions = try Self.byPosition(params, method, parameters)
        case .named: positions = try Self.byName(params, method, parameters)
        case .notSerializable: throw Self.notSerializable(method)
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
    public init(unchecked params: Params, for method: String, taking parameters: [Parameter]) throws(RPCError) {
        guard params.form != .notSerializable else { throw Self.notSerializable(method) }
        self.method = method
        self.parameters = parameters
        self.params = params
        positions = parameters.enumerated().map { index, parameter in
            let position = params.form == .named ? params.position(of: parameter.name) : index
            return position.flatMap { $0 < params.count && !params.value(at: $0).isNull ? $0 : nil }
        }
    }

    /// All that was given: an array or an object, or `nil` for no params.
    public var text: JSONText? { params.text }

    /// The value of a parameter.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    public func value(_ index: Int) -> JSONText? {
        positions[index].map(params.value(at:))
    }

    /// The value of a parameter that is an object.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    public func object(_ index: Int) -> JSONText? { value(index) }

    /// The value of a parameter that is a string, exactly its characters.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    public func optionalString(_ index: Int) -> String? { value(index)?.stringValue }

    /// The value of a required parameter that is a string, exactly its characters.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    public func string(_ index: Int) throws(RPCError) -> String {
        try present(index, value(index)?.stringValue)
    }

    /// The value of a required parameter that is an object, an array, or anything.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    public func text(_ index: Int) throws(RPCError) -> JSONText {
        try present(index, value(index))
    }

    /// The value of a parameter that is `true` or `false`.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    public func bool(_ index: Int) -> Bool? { value(index)?.boolValue }

    /// The value of a parameter that is an integer.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    public func integer(_ index: Int) -> Int64? { value(index)?.intValue }

    /// The value of a parameter that is a number, as the nearest double.
    ///
    /// - Parameter index: The parameter's place in the method's list.
    /// - Returns: `nil` if it is absent or `null`.
    /// - Throws: INVALID_PARAMS if no double comes near.
    public func number(_ index: Int) throws(RPCError) -> Double? {
        guard let value = value(index) else { return nil }
        return try present(index, value.doubleValue)
    }

    /// Says that the value of a parameter will not do.
    ///
    /// - Parameters:
    ///   - index: The parameter's place in the method's list.
    ///   - fault: What goes with its name in a sentence, such as "must not be negative".
    /// - Returns: An error to throw.
    public func fault(_ index: Int, _ fault: String) -> RPCError {
        .invalidParams("\(method): '\(parameters[index].name)' \(fault)")
    }

    private func present<Value>(_ index: Int, _ value: Value?) throws(RPCError) -> Value {
        guard let value else { throw fault(index, "must be \(parameters[index].kind.phrase)") }
        return value
    }

    private func check() throws(RPCError) {
        for (index, parameter) in parameters.enumerated() {
            guard let position = positions[index] else {
                guard parameter.isRequired else { continue }
                throw parameter.errorIfAbsent ?? fault(index, "is required and must be \(parameter.kind.phrase)")
            }
            guard parameter.kind.accepts(params.value(at: position)) else {
                throw fault(index, "must be \(parameter.kind.phrase)")
            }
        }
    }

    private static func notSerializable(_ method: String) -> RPCError {
        .invalidParams(
            "\(method): the params hold half a surrogate pair or nest deeper than \(JSONText.maxDepth) levels")
    }

    private static func byPosition(
        _ params: Params, _ method: String, _ parameters: [Parameter]
    ) throws(RPCError) -> [Int?] {
        let most = parameters.prefix { !$0.isNamedOnly }.count
        guard params.count <= most else {
            let params = params.count == 1 ? "1 param" : "\(params.count) params"
            throw .invalidParams("\(method): got \(params), takes \(most == 0 ? "none" : "\(most) at most")")
        }
        return parameters.indices.map { $0 < params.count && !params.value(at: $0).isNull ? $0 : nil }
    }

    private static func byName(
        _ params: Params, _ method: String, _ parameters: [Parameter]
    ) throws(RPCError) -> [Int?] {
        var positions = [Int?](repeating: nil, count: parameters.count)
        for position in 0..<params.count {
            guard let index = parameters.firstIndex(where: { params.isNamed($0.name, at: position) }) else {
                throw unknown(params.name(at: position), method, parameters)
            }
            positions[index] = params.value(at: position).isNull ? nil : position
        }
        return positions
    }

    private static func unknown(_ name: String, _ method: String, _ parameters: [Parameter]) -> RPCError {
        let start = "\(method): unknown param '\(name.prefix(80))'"
        guard let nearest = SpellingSuggestion.nearest(to: name, among: parameters.map(\.name)) else {
            return .invalidParams(parameters.isEmpty ? "\(start); it takes none" : start)
        }
        return .invalidParams("\(start); did you mean '\(nearest)'?")
    }
}
