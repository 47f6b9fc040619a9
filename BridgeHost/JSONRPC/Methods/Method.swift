package import TrackerJSON

/// One row of a method table: what a method is called, what it takes and gives, and what it does.
///
/// Everything that knows the methods is made from such rows: the dispatch of calls as well as documents and types.
package final class Method<Context: Sendable>: Sendable {
    /// What a call does.
    ///
    /// It must return at once, and may complete the reply later. If it throws, that completes the reply: with the error
    /// itself if it is ``RPCErrorConvertible``, else with INTERNAL_ERROR. (The throws are untyped because a closure
    /// does not infer a typed throw from here.)
    package typealias Body = @Sendable (Context, Arguments, Reply) throws -> Void

    package let name: String
    /// What it does, in a sentence.
    package let summary: String
    /// What it takes, in the order of the positional form.
    package var parameters: [Parameter] { signature.parameters }
    /// Whether it checks its params itself: any are passed on as they are, and `parameters` only describes them.
    package let takesAnyParams: Bool
    /// The name of the schema of its result.
    package let result: String
    /// The codes of the errors it answers with, besides those that every method has.
    package let errors: [String]
    package let body: Body
    private let signature: Signature
    /// What it answers if its params cannot be passed on; `nil` is INVALID_PARAMS.
    package let answerIfNotSerializable: (@Sendable (Context, ValueFault) -> JSONText)?

    /// - Parameters:
    ///   - name: The name that clients call.
    ///   - parameters: What it takes, in the order of the positional form; those that have only names come last.
    ///   - takesAnyParams: Whether it checks its params itself.
    ///   - result: The name of the schema of its result.
    ///   - errors: The codes of the errors it answers with, besides those that every method has.
    ///   - summary: What it does, in a sentence.
    ///   - answerIfNotSerializable: What it answers if its params cannot be passed on, if not INVALID_PARAMS.
    ///   - body: What it does.
    package init(
        _ name: String, _ parameters: [Parameter] = [], takesAnyParams: Bool = false, result: String = "object",
        errors: [String] = [], summary: String = "",
        answerIfNotSerializable: (@Sendable (Context, ValueFault) -> JSONText)? = nil, body: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        signature = Signature(name, parameters)
        self.takesAnyParams = takesAnyParams
        self.result = result
        self.errors = errors
        self.body = body
        self.answerIfNotSerializable = answerIfNotSerializable
    }

    /// - Parameters:
    ///   - context: What the method works on.
    ///   - params: What it is called with.
    ///   - reply: Answers the call, with an error if the params are not valid.
    package func call(_ context: Context, _ params: Params, _ reply: Reply) {
        if case .notSerializable(let fault) = params.form, let answer = answerIfNotSerializable {
            return reply.succeed(with: answer(context, fault))
        }
        do {
            let arguments =
                takesAnyParams
                ? try Arguments(unchecked: params, of: signature) : try Arguments(params, of: signature)
            try body(context, arguments, reply)
        } catch let error as any RPCErrorConvertible {
            reply.fail(with: error.rpcError)
        } catch {
            reply.fail(with: .internalError("\(name) failed unexpectedly"))
        }
    }
}
