import JSONRPC
import TrackerCore
import TrackerModels

/// One row of the bridge's table: a method, and an example of calling it.
struct Row: Sendable {
    let method: Method<HostSession>
    /// Params by position, as JSON.
    let example: String
    /// Whether a question that was asked before must be answered before this is carried out.
    let changesAnswers: Bool

    /// A method.
    init(
        _ name: String, _ parameters: [Parameter], takesAnyParams: Bool = false, result: String = "Empty",
        errors: [TrackerError.Code] = [], changesAnswers: Bool = false, _ summary: String, example: String = "[]",
        body: @escaping Method<HostSession>.Body
    ) {
        method = Method(
            name, parameters, takesAnyParams: takesAnyParams, result: result, errors: errors.map(\.rawValue),
            summary: summary, body: body
        )
        self.example = example
        self.changesAnswers = changesAnswers
    }

    private init(_ method: Method<HostSession>, example: String, changesAnswers: Bool) {
        self.method = method
        self.example = example
        self.changesAnswers = changesAnswers
    }

    /// A tracking call: it takes a message id besides, by name, and answers what became of it.
    static func tracking(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> TrackerCall
    ) -> Row {
        outcome(name, parameters + [.messageID], summary, example: example) {
            tracker, arguments, completion in
            tracker.accept(
                try call(arguments), messageID: try arguments.messageID(parameters.count), completion: completion())
        }
    }

    /// A call that answers what became of it, also if it cannot be passed on.
    ///
    /// - Parameter accept: Passes the call on; the completion is to be asked for once nothing can be thrown any more.
    static func outcome(
        _ name: String, _ parameters: [Parameter], changesAnswers: Bool = false, _ summary: String, example: String,
        accept:
            @escaping @Sendable (
                MobileTracker, Arguments, () -> @Sendable (TrackOutcome) -> Void
            ) throws -> Void
    ) -> Row {
        let method = Method<HostSession>(
            name, parameters, result: "Outcome", summary: summary,
            answerIfNotSerializable: { host in
                host.tracker.refuseSerialization(
                    of: name, "a string holds half a surrogate pair, which is no character")
                return TrackOutcome.dropped(.serialization).json
            },
            body: { host, arguments, reply in
                try accept(host.tracker, arguments) { host.answering(reply) }
            }
        )
        return Row(method, example: example, changesAnswers: changesAnswers)
    }

    /// A question about stored values, answered as they are after the calls made before.
    static func reading(
        _ name: String, _ parameters: [Parameter] = [], result: String, _ summary: String, example: String = "[]",
        value: @escaping @Sendable (MobileTracker, Arguments) -> JSONText
    ) -> Row {
        Row(name, parameters, result: result, summary, example: example) { host, arguments, reply in
            let answer = host.answering(reply) { [tracker = host.tracker] in value(tracker, arguments) }
            host.order.beginQuestion()
            host.tracker.afterEarlierCalls {
                answer(())
                host.order.endQuestion(on: host)
            }
        }
    }
}

extension Parameter {
    /// The key that a caller may give a call.
    static let messageID = Parameter.named(
        "messageId", .string, "The call's key, made up by the caller: a second call with it has no effect.",
        schema: "MessageId")
}

extension Arguments {
    /// The message id, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is none.
    func messageID(_ index: Int) throws(RPCError) -> MessageID? {
        guard let text = optionalString(index) else { return nil }
        guard let id = MessageID(text) else {
            throw fault(index, "must be 1 to 128 printable ASCII characters without spaces at either end")
        }
        return id
    }

    /// A duration in milliseconds, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is negative.
    func milliseconds(_ index: Int) throws(RPCError) -> Duration? {
        guard let count = integer(index) else { return nil }
        guard count >= 0 else { throw fault(index, "must not be negative") }
        return .milliseconds(count)
    }

    /// The value of a required parameter that is a number.
    func requiredNumber(_ index: Int) throws(RPCError) -> Double {
        guard let number = try number(index) else { throw fault(index, "must be a number") }
        return number
    }

    /// The value of a parameter that is one of a few words.
    ///
    /// - Throws: INVALID_PARAMS naming them.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ index: Int) throws(RPCError) -> Word {
        guard let word = Word(rawValue: try string(index)) else {
            throw fault(index, "must be \(Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or "))")
        }
        return word
    }
}
