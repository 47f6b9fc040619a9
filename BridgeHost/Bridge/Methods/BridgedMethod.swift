package import JSONRPC
import TrackerCore
import TrackerModels

/// One row of the bridge's table: a method, and an example of calling it.
package struct BridgedMethod: Sendable {
    package let method: Method<HostSession>
    /// Params by position, as JSON.
    package let example: String
    /// Whether it waits until earlier queries are answered, since it changes their answers.
    let changesAnswers: Bool

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

    init(_ method: Method<HostSession>, example: String, changesAnswers: Bool) {
        self.method = method
        self.example = example
        self.changesAnswers = changesAnswers
    }
}

extension BridgedMethod {
    /// Every method, in the order in which they are shown: the only list there is.
    package static let all = tracker + trackerState + analytics + basic + host
}

/// Where a session finds its methods.
enum BridgeMethods {
    /// Every method by its name.
    static let table = MethodTable(BridgedMethod.all.map(\.method))

    /// The names of the methods that wait for earlier queries.
    static let changingAnswers = Set(BridgedMethod.all.filter(\.changesAnswers).map(\.method.name))
}

/// The forms that most rows have.
extension BridgedMethod {
    /// Which of a session's clients a row calls.
    typealias ClientPath<Client> = @Sendable (HostSession) -> Client

    /// Answers a call with its outcome. Use it only after the last statement that can throw.
    typealias Completion = () -> @Sendable (TrackOutcome) -> Void

    /// A tracking call: it also takes a message id, by name, and answers with its outcome.
    static func tracking(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> TrackerCall
    ) -> BridgedMethod {
        outcome(name, on: \.tracker, parameters, summary, example: example) { tracker, arguments, id, completion in
            tracker.enqueue(try call(arguments), messageID: id, completion: completion())
        }
    }

    /// A call to the analytics client that becomes an event; its options may name its user.
    ///
    /// Before `initialize` it is refused at once.
    static func analytics(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String = "[]",
        call: @escaping @Sendable (Arguments) throws -> AnalyticsCall
    ) -> BridgedMethod {
        outcome(
            name, on: \.analytics, parameters + [.callOptions], summary, example: example
        ) { analytics, arguments, id, completion in
            let call = try call(arguments)
            let options: CallOptions?
            do throws(TrackerError) {
                options = try arguments.value(parameters.count).map(CallOptions.init(json:))
            } catch {
                analytics.control.refuse(call: name, as: .invalidValue, "\(name): \(error.message)")
                return completion()(.dropped(.invalidValue))
            }
            analytics.enqueue(
                call, options: options, messageID: id, waitsWhileIdle: false, completion: completion())
        }
    }

    /// A call to the analytics client that changes what its later events carry, and is no event.
    static func analyticsChange(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String = "[]",
        call: @escaping @Sendable (Arguments) throws -> AnalyticsCall
    ) -> BridgedMethod {
        outcome(name, on: \.analytics, parameters, summary, example: example) { analytics, arguments, id, completion in
            analytics.enqueue(
                try call(arguments), messageID: id, waitsWhileIdle: false, completion: completion())
        }
    }

    /// A call to the basic tracker that becomes an event.
    static func basic(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> BasicCall
    ) -> BridgedMethod {
        outcome(name, on: \.basic, parameters, summary, example: example) { basic, arguments, id, completion in
            basic.enqueue(try call(arguments), messageID: id, completion: completion())
        }
    }

    /// A call that takes a message id and answers with its outcome, even if it cannot be passed on.
    static func outcome<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>, _ parameters: [Parameter],
        changesAnswers: Bool = false, _ summary: String, example: String,
        accept: @escaping @Sendable (Client, Arguments, MessageID?, Completion) throws -> Void
    ) -> BridgedMethod {
        let method = Method<HostSession>(
            name, parameters + [.messageID], result: "Outcome", summary: summary,
            answerIfNotSerializable: { host, fault in
                client(host).control.refuse(
                    call: name, as: .serialization, "Dropped \(name): the params \(fault.phrase)")
                return TrackOutcome.dropped(.serialization).json
            },
            body: { host, arguments, reply in
                let id: MessageID?
                do throws(RPCError) {
                    id = try arguments.messageID(parameters.count)
                } catch {
                    client(host).control.refuse(call: name, as: .invalidValue, error.message)
                    return reply.succeed(with: TrackOutcome.dropped(.invalidValue).json)
                }
                try accept(client(host), arguments, id) { host.answering(reply) }
            }
        )
        return BridgedMethod(method, example: example, changesAnswers: changesAnswers)
    }

    /// A flush, which may answer late.
    static func flush<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>
    ) -> BridgedMethod {
        BridgedMethod(
            name, [.optional("timeoutMs", .integer, "How long to try; 30,000 by default.", schema: "Milliseconds")],
            result: "FlushReport", "Sends what is queued now. Other calls do not wait for it.", example: "[5000]"
        ) { host, arguments, reply in
            client(host).control.flush(
                timeout: try arguments.milliseconds(0) ?? .seconds(30), completion: host.answeringLate(reply))
        }
    }

    /// A query: it sees every call sent before it, and none sent after.
    static func reading<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>, _ parameters: [Parameter] = [], result: String,
        _ summary: String, example: String = "[]", value: @escaping @Sendable (Client, Arguments) -> JSONText
    ) -> BridgedMethod {
        BridgedMethod(name, parameters, result: result, summary, example: example) { host, arguments, reply in
            let client = client(host)
            let answer = host.answering(reply) { value(client, arguments) }
            host.order.beginQuestion()
            client.control.afterEarlierCalls {
                answer(())
                host.order.endQuestion(on: host)
            }
        }
    }
}

extension Parameter {
    /// The key that a caller may give a call.
    static let messageID = Parameter.named(
        "messageId", .string, "An id that you choose: a second call with it has no effect.",
        schema: "MessageId")

    /// The options of an analytics call.
    static let callOptions = Parameter.optional(
        "options", .object, "Values for this call alone, instead of the client's own.",
        schema: "AnalyticsCallOptions")
}
