import Bridge
import JSONRPC
import TrackerModels

/// The method table as JavaScript: what the Node client's functions are made from.
enum NodeMethods {
    static var text: String {
        [head, callOptions, table, numbers, reasonsOfState].joined(separator: "\n\n") + "\n"
    }

    /// The text of the file in which the functions of the tracker that all share are exported by name.
    static var functions: String {
        let names = ClientGroup.tracker.rows.map { "    \($0.method.name)," }
        return """
            // Made by `make generate` from the host's method table: a change here is lost.
            import { MobileTracker } from './shared.js'

            export const {
            \(names.joined(separator: "\n"))
            } = MobileTracker

            """
    }

    private static let head = """
        // Made by `make generate` from the host's method table: a change here is lost.

        /**
         * One argument of a method.
         *
         * @typedef {object} Param
         * @property {string} name
         * @property {'string' | 'id' | 'number' | 'integer' | 'boolean' | 'object'} kind
         * @property {boolean} isRequired
         * @property {string} fault What a wrong value is answered with: a reason if the call has an outcome, else the
         *     code of an error.
         * @property {string} [member] The member of an {@link OutgoingCall} that it is, if not the one of its name.
         */

        /**
         * How one method of the host is called from JavaScript.
         *
         * @typedef {object} BridgedMethod
         * @property {Param[]} params The arguments, in their order.
         * @property {'outcome' | 'nothing' | 'report' | 'object' | { member: string }} gives What the promise resolves with:
         *     an outcome, undefined, the report of a flush or another result as it is, or one member of it.
         * @property {'uuid' | 'stamped'} [messageId] The kind of message id that is made up for a call that brings none;
         *     in such a call an object with a `messageId` may follow the arguments.
         * @property {{ name: string, kind: 'string' | 'id' | 'object' }[]} [options] What else that object may hold.
         * @property {boolean} [isScoped] Whether the call takes what the scope around it gives.
         * @property {boolean} [repeats] Whether the call is made again if the host dies before it answers.
         * @property {boolean} [isNamed] Whether the first argument is a name that may be logged.
         * @property {'userId' | 'anonymousId'} [person] The option that says whom a call is about.
         * @property {boolean} [takesObject] Whether an object as the first argument holds all params.
         * @property {'setup' | 'consent' | 'user' | 'credentials' | 'defaults' | 'ends' | 'endsBrand'} [restores] What a new host
         *     needs of it after a crash: see recovery.js.
         * @property {string} [holdsAfter] The error of a setup after which, too, the client goes on.
         * @property {Record<string, string>} [again] What the configuration of a setup says besides when it is restored.
         * @property {string[]} [once] What it lacks then, since it has taken effect.
         * @property {string[]} [holdsIfDropped] The reasons for which a call is dropped whose user holds all the same.
         * @property {'always' | 'all'} [ends] Whether the call ends its client, or the brand that it is set up for: always, or if
         *     its param `all` is true.
         * @property {boolean} [isUrgent] Whether it ends the hold of a setup: see setup-hold.js.
         * @property {object | 'consent' | 'param' | 'state'} [whenOff] What a query is answered while its client is off: an
         *     object, whether consent is granted, a param as it is given, or the state; see off.js.
         */
        """

    /// The members of the options of an analytics call.
    private static var callOptions: String {
        guard case .object(let members, _)? = NamedSchema.named("AnalyticsCallOptions")?.schema else { return "" }
        let lines = members.map { member in
            let kind = ["Properties": "object", "Id": "id"].first { member.schema.isReference(to: $0.key) }?.value
            return "    { name: '\(member.name)', kind: '\(kind ?? "string")' },"
        }
        return "/** The options of an analytics call. */\n"
            + "const CALL_OPTIONS = [\n\(lines.joined(separator: "\n"))\n]"
    }

    private static var table: String {
        let lines = ClientGroup.all.flatMap(\.rows).map { row in
            let name = row.method.name.contains(".") ? "'\(row.method.name)'" : row.method.name
            return "    \(name): \(members(of: row)),"
        }
        return """
            /** The methods, by the host's names: those of a client begin with its name. @type {Record<string, BridgedMethod>} */
            export const METHODS = {
            \(lines.joined(separator: "\n"))
            }

            /** What the names of the methods of a method's client begin with, such as `analytics.`; empty for the tracker. */
            export function clientOf(method) {
                return method.slice(0, method.indexOf('.') + 1)
            }
            """
    }

    private static func members(of row: BridgedMethod) -> String {
        let call = CallTraits(of: row)
        let values = call.arguments.filter { !$0.isCallOptions }
        let params = values.map { param($0, of: call.result) }.joined() + (values.isEmpty ? "" : "\n        ")
        var members = ["params: [\(params)]"]
        members.append("gives: \(text(of: call.result))")
        if let kind = call.messageID { members.append("messageId: '\(kind.rawValue)'") }
        if values.count < call.arguments.count { members.append("options: CALL_OPTIONS") }
        if call.isScoped { members.append("isScoped: true") }
        if call.repeats { members.append("repeats: true") }
        if call.isNamed { members.append("isNamed: true") }
        if let person = row.person { members.append("person: '\(person)'") }
        if row.takesObject { members.append("takesObject: true") }
        members += call.restores.map(text) ?? []
        if let ending = call.ends { members.append("ends: '\(ending.rawValue)'") }
        if call.isUrgent { members.append("isUrgent: true") }
        if let answer = row.whenOff { members.append("whenOff: \(answer.text(quote: "'"))") }
        let line = members.joined(separator: ", ")
        // A row of a few words stands in a line.
        return values.isEmpty && line.count < 80
            ? "{ \(line) }" : "{\n        \(members.joined(separator: ",\n        ")),\n    }"
    }

    private static func param(_ parameter: Parameter, of result: CallResult) -> String {
        let members =
            [
                "name: '\(parameter.name)'", "kind: '\(parameter.kind.rawValue)'",
                "isRequired: \(parameter.isRequired)",
                "fault: '\(result.fault(of: parameter))'",
            ] + (parameter.role == parameter.name ? [] : ["member: '\(parameter.role)'"])
        return "\n            { \(members.joined(separator: ", ")) },"
    }

    /// What a promise of the Node client resolves with, as the table has it.
    private static func text(of result: CallResult) -> String {
        switch result {
        case .outcome: "'outcome'"
        case .nothing: "'nothing'"
        case .report: "'report'"
        case .object: "'object'"
        case .member(let name): "{ member: '\(name)' }"
        }
    }

    /// What is restored after a crash.
    private static func text(of restoration: Restoration) -> [String] {
        func list(_ words: [String]) -> String { "[\(words.map { "'\($0)'" }.joined(separator: ", "))]" }
        let word = ["restores: '\(restoration.word)'"]
        return switch restoration {
        case .setup(let code, let again, let once):
            word + (code.map { ["holdsAfter: '\($0.rawValue)'"] } ?? [])
                + (again.isEmpty ? [] : ["again: { \(again.map { "\($0): '\($1)'" }.joined(separator: ", ")) }"])
                + (once.isEmpty ? [] : ["once: \(list(once))"])
        case .user(let dropped): word + ["holdsIfDropped: \(list(dropped.map(\.rawValue)))"]
        case .consent, .credentials, .defaults, .ends, .endsBrand: word
        }
    }

    /// The numbers of the errors, by their codes.
    private static var numbers: String {
        let lines = ErrorReference.everywhere.map { "    \($0.code): \($0.number)," }
        return "/** The number of each error that a message can carry. @type {Record<string, number>} */\n"
            + "export const NUMBERS = {\n\(lines.joined(separator: "\n"))\n}"
    }

    /// The reasons for a drop that hold for other calls as well.
    private static var reasonsOfState: String {
        let reasons = RefusalReason.allCases.filter(\.holdsForOtherCalls).map { "'\($0.rawValue)'" }
        return """
            /** The reasons for a drop that are in the state of the tracker, and not in the call: they hold for others as well. */
            export const OF_STATE = new Set([\(reasons.joined(separator: ", "))])
            """
    }
}

extension Schema {
    /// Whether this is a named schema, or that or `null`.
    fileprivate func isReference(to name: String) -> Bool {
        switch self {
        case .reference(let other): other == name
        case .oneOf(let schemas): schemas.contains { $0.isReference(to: name) }
        default: false
        }
    }
}
