package import JSONRPC
import TrackerCore
import TrackerModels

/// One row of the bridge's table: a method, and an example of calling it.
package struct BridgedMethod: Sendable {
    package let method: Method<HostSession>
    /// Params by position, as JSON.
    package let example: String
    /// What it changes of what queries answer: it waits until those before it are answered.
    let effect: CallEffect
    /// Whether a client in another language makes it again if the host has died before its answer, although it has no id.
    package let isRepeatable: Bool
    /// What a client in another language restores of it after a crash of the host; `nil` if it leaves nothing in memory
    /// alone.
    package let restores: Restoration?
    /// How such a client makes the id of a call that brings none, if the method takes one.
    package let messageID: MessageIDForm
    /// What such a client answers by itself while its client is off; `nil`: that nothing is there.
    package private(set) var whenOff: OffAnswer?
    /// The option that says whom a call is about which a program for many users makes; `nil` if it has none.
    package private(set) var person: String?
    /// The method of a recorded call that it makes, without the client's name; `nil` if it makes none.
    private(set) var recordedAs: String?

    init(
        _ name: String, _ parameters: [Parameter], takesAnyParams: Bool = false, result: String = "Empty",
        errors: [TrackerError.Code] = [], effect: CallEffect = .nothing, isRepeatable: Bool = false,
        restores: Restoration? = nil, _ summary: String, example: String = "[]",
        body: @escaping Method<HostSession>.Body
    ) {
        let method = Method(
            name, parameters, takesAnyParams: takesAnyParams, result: result, errors: errors.map(\.rawValue),
            summary: summary, body: body
        )
        self.init(method, example: example, effect: effect, isRepeatable: isRepeatable, restores: restores)
    }

    init(
        _ method: Method<HostSession>, example: String, effect: CallEffect, isRepeatable: Bool = false,
        restores: Restoration?, messageID: MessageIDForm = .uuid
    ) {
        self.method = method
        self.example = example
        self.effect = effect
        self.isRepeatable = isRepeatable
        self.restores = restores
        self.messageID = messageID
    }
}

extension BridgedMethod {
    /// The same row, with what is answered while the client is off.
    func whenOff(_ answer: OffAnswer) -> BridgedMethod {
        var row = self
        row.whenOff = answer
        return row
    }

    /// The same row, if it is short for a call that has another name.
    func recorded(as method: String) -> BridgedMethod {
        var row = self
        row.recordedAs = method
        return row
    }
}

/// What a query answers while a client is off. A client in another language does so without a host.
package enum OffAnswer: Hashable, Sendable {
    /// This object, as JSON.
    case object(String)
    /// Whether the last decision that was made meanwhile is `granted`, or there was none.
    case consent
    /// The param that has the name of the result's member.
    case param
    /// That it is off, and why.
    case state
}

/// What a client in another language makes of the id of a call that brings none.
package enum MessageIDForm: String, Sendable {
    case uuid
    /// It also says when the call was made.
    case stamped
}

extension BridgedMethod {
    /// Every method, in the order in which they are shown: the only list there is.
    package static let all = tracker + trackerState + analytics + basic + refused + record + hostState + host
}

/// Where a session finds its methods.
enum BridgeMethods {
    static let table = MethodTable(BridgedMethod.all.map(\.method))

    /// What the call of each method changes of what queries answer.
    static let effects = Dictionary(uniqueKeysWithValues: BridgedMethod.all.map { ($0.method.name, $0.effect) })
}

/// The forms that most rows have.
extension BridgedMethod {
    /// Which of a session's clients a row calls.
    typealias ClientPath<Client> = @Sendable (HostSession) -> Client

    /// Who is answered with a call's outcome. Use it only after the last statement that can throw.
    typealias CallerSource = () -> Caller

    /// A tracking call: it also takes a message id, by name, and answers with its outcome.
    static func tracking(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> TrackerCall
    ) -> BridgedMethod {
        outcome(name, on: \.tracker, parameters, summary, example: example) { tracker, arguments, id, caller in
            tracker.enqueue(try call(arguments), messageID: id, caller: caller())
        }
    }

    /// A call to the analytics client that becomes an event; its options and its scope may name its user.
    ///
    /// Before `initialize` it is refused at once.
    ///
    /// - Parameter person: The option that says whom it is about.
    static func analytics(
        _ name: String, _ parameters: [Parameter], person: String = "userId", effect: CallEffect = .counts,
        _ summary: String, example: String = "[]", call: @escaping @Sendable (Arguments) throws -> AnalyticsCall
    ) -> BridgedMethod {
        var row = scoped(name, parameters + [.callOptions], effect: effect, summary, example: example, call: call) {
            arguments throws(TrackerError) in
            try arguments.value(parameters.count).map(CallOptions.init(json:))
        }
        row.person = person
        return row
    }

    /// A call to the analytics client that changes what its later events carry, and is no event.
    static func analyticsChange(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String = "[]",
        call: @escaping @Sendable (Arguments) throws -> AnalyticsCall
    ) -> BridgedMethod {
        scoped(name, parameters, effect: .counts, summary, example: example, call: call) { _ in nil }
    }

    private static func scoped(
        _ name: String, _ parameters: [Parameter], effect: CallEffect, _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> AnalyticsCall,
        options: @escaping @Sendable (Arguments) throws(TrackerError) -> CallOptions?
    ) -> BridgedMethod {
        outcome(
            name, on: \.analytics, parameters + [.scope], effect: effect, messageID: .stamped, summary, example: example
        ) { analytics, arguments, id, caller in
            let call = try call(arguments)
            let own: CallOptions?
            let scope: AnalyticsScope?
            do throws(TrackerError) {
                own = try options(arguments)
                scope = try arguments.value(parameters.count).flatMap(AnalyticsScope.reading)
            } catch {
                let refusal = error.fault.map { Refusal($0) } ?? Refusal(.invalidValue)
                return caller().receive(analytics.control.refuse(name, refusal))
            }
            analytics.enqueue(
                call, options: own, scope: scope, messageID: id, waitsWhileIdle: false, caller: caller())
        }
    }

    /// A call to the basic tracker that becomes an event.
    static func basic(
        _ name: String, _ parameters: [Parameter], _ summary: String, example: String,
        call: @escaping @Sendable (Arguments) throws -> BasicCall
    ) -> BridgedMethod {
        outcome(name, on: \.basic, parameters, summary, example: example) { basic, arguments, id, caller in
            basic.enqueue(try call(arguments), messageID: id, caller: caller())
        }
    }

    /// A call that takes a message id and answers with its outcome, even if it cannot be passed on.
    static func outcome<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>, _ parameters: [Parameter],
        effect: CallEffect = .counts, restores: Restoration? = nil, messageID: MessageIDForm = .uuid,
        _ summary: String, example: String,
        accept: @escaping @Sendable (Client, Arguments, MessageID?, CallerSource) throws -> Void
    ) -> BridgedMethod {
        let method = Method<HostSession>(
            name, parameters + [.messageID], result: "Outcome", summary: summary,
            answerIfNotSerializable: { host, fault in
                client(host).control.refuse(name, .ofParams(fault)).json
            },
            body: { host, arguments, reply in
                let id: MessageID?
                do throws(RPCError) {
                    id = try arguments.messageID(parameters.count)
                } catch {
                    return reply.succeed(with: client(host).control.refuse(name, .messageID).json)
                }
                try accept(client(host), arguments, id) { host.openCalls.caller(reply) }
            }
        )
        return BridgedMethod(
            method, example: example, effect: effect, restores: restores, messageID: messageID
        )
        .recorded(as: name.split(separator: ".").last.map(String.init) ?? name)
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
        .whenOff(.object(#"{"delivered": 0, "remaining": 0}"#))
    }

    /// Changes the credentials of a client.
    static func credentials<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>
    ) -> BridgedMethod {
        BridgedMethod(
            name,
            [
                .optional("key", .string, "The client's key. Not blank; left out, it stays as it is."),
                .optional(
                    "headers", .object, "Header fields for every request, instead of those before.",
                    schema: "RequestHeaders"),
            ],
            errors: [.invalidConfiguration], effect: .state, restores: .credentials,
            "Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of "
                + "them is stored or logged. Before the client is initialised they are kept for that.",
            example: #"["key-2", {"X-Tenant": "shop"}]"#
        ) { host, arguments, reply in
            var credentials = Credentials(key: arguments.optionalString(0))
            if let headers = arguments.value(1) {
                guard let read = headers.headers else {
                    throw FieldCheck.fault("headers", .wrongKind(.headers))
                }
                credentials.headers = read.values
            }
            try client(host).control.setCredentials(credentials)
            reply.succeed(with: .done)
        }
    }

    /// A query: it sees every call sent before it, and none sent after that has this effect or a greater one.
    static func reading<Client: ControlledClient>(
        _ name: String, on client: @escaping ClientPath<Client>, _ parameters: [Parameter] = [], result: String,
        changedBy effect: CallEffect = .state, _ summary: String, example: String = "[]",
        value: @escaping @Sendable (Client, Arguments) -> JSONText
    ) -> BridgedMethod {
        BridgedMethod(name, parameters, result: result, summary, example: example) { host, arguments, reply in
            let client = client(host)
            let answer = host.answering(reply) { value(client, arguments) }
            host.afterEarlierCalls(to: [client], changedBy: effect) { answer(()) }
        }
    }
}

extension Parameter {
    /// The name of an event, a screen or a page.
    static func name(_ name: String, _ summary: String) -> Parameter {
        .required(name, .string, summary, reason: RefusalReason.invalidEventName.rawValue, role: "name")
    }

    static func user(_ name: String, _ summary: String) -> Parameter {
        .required(name, .id, summary, reason: RefusalReason.invalidUserId.rawValue, role: "userId")
    }

    /// Facts about an event, a user or a group.
    static func properties(_ name: String, _ summary: String, isRequired: Bool = false) -> Parameter {
        isRequired
            ? .required(name, .object, summary, role: "properties")
            : .optional(name, .object, summary, role: "properties")
    }

    /// The key that a caller may give a call.
    package static let messageID = Parameter.named(
        "messageId", .string, "An id that you choose: a second call with it has no effect.",
        schema: "MessageId")

    /// What it says of a reset.
    static let repeatsReset = Parameter.repeats(
        "Of one that you make once more after a crash: it ends what it has ended there, whatever became of it.")

    /// What a client says of a call that it had made before the host died.
    static func repeats(_ summary: String) -> Parameter {
        .named("repeats", .string, summary, schema: "CallRepetition", isOfLibrary: true)
    }

    /// The options of an analytics call.
    package static let callOptions = Parameter.optional(
        "options", .object, "Values for this call alone, instead of the client's own.",
        schema: "AnalyticsCallOptions")

    /// The scopes around an analytics call.
    package static let scope = Parameter.named(
        "scope", .array,
        "What the code around the call gives it, the outermost scope first. The call's own values win, then those of the "
            + "last scope.",
        schema: "AnalyticsScopes", isOfLibrary: true)
}
