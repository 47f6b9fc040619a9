import Bridge
import JSONRPC

/// The method table as JavaScript: what the Node client's functions are made from.
enum NodeMethods {
    static var text: String {
        ([head, callOptions] + ClientGroup.all.map(table) + [numbers]).joined(separator: "\n\n") + "\n"
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
         */

        /**
         * How one method of the host is called from JavaScript.
         *
         * @typedef {object} BridgedMethod
         * @property {Param[]} params The arguments, in their order.
         * @property {'outcome' | 'nothing' | 'object' | { member: string }} gives What the promise resolves with: an
         *     outcome, undefined, the result as it is, or one member of it.
         * @property {'uuid' | 'stamped'} [messageId] The kind of message id that is made up for a call that brings none;
         *     in such a call an object with a `messageId` may follow the arguments.
         * @property {{ name: string, kind: 'string' | 'id' | 'object' }[]} [options] What else that object may hold.
         * @property {boolean} [repeats] Whether the call is made again if the host dies before it answers.
         * @property {boolean} [isNamed] Whether the first argument is a name that may be logged.
         * @property {boolean} [takesObject] Whether an object as the first argument holds all params.
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

    private static func table(of group: ClientGroup) -> String {
        let lines = group.rows.map { "    \(group.name(of: $0)): \(members(of: CallTraits(of: $0.method)))," }
        let comment = "/** \(group.summary) @type {Record<string, BridgedMethod>} */"
        return "\(comment)\nexport const \(group.name.uppercased()) = {\n\(lines.joined(separator: "\n"))\n}"
    }

    private static func members(of call: CallTraits) -> String {
        let values = call.arguments.filter { !$0.isCallOptions }
        let params = values.map { param($0, of: call.result) }.joined() + (values.isEmpty ? "" : "\n        ")
        var members = ["params: [\(params)]"]
        members.append("gives: \(text(of: call.result))")
        if let kind = call.messageID { members.append("messageId: '\(kind.rawValue)'") }
        if values.count < call.arguments.count { members.append("options: CALL_OPTIONS") }
        if call.repeats { members.append("repeats: true") }
        if call.isNamed { members.append("isNamed: true") }
        if call.beginsClient, values.first?.kind == .string { members.append("takesObject: true") }
        return "{\n        \(members.joined(separator: ",\n        ")),\n    }"
    }

    private static func param(_ parameter: Parameter, of result: CallResult) -> String {
        let members = [
            "name: '\(parameter.name)'", "kind: '\(parameter.kind.rawValue)'", "isRequired: \(parameter.isRequired)",
            "fault: '\(result.fault(of: parameter))'",
        ]
        return "\n            { \(members.joined(separator: ", ")) },"
    }

    /// What a promise of the Node client resolves with, as the table has it.
    private static func text(of result: CallResult) -> String {
        switch result {
        case .outcome: "'outcome'"
        case .nothing: "'nothing'"
        case .object: "'object'"
        case .member(let name): "{ member: '\(name)' }"
        }
    }

    /// The numbers of the errors, by their codes.
    private static var numbers: String {
        let lines = ErrorReference.everywhere.map { "    \($0.code): \($0.number)," }
        return "/** The number of each error that a message can carry. @type {Record<string, number>} */\n"
            + "export const NUMBERS = {\n\(lines.joined(separator: "\n"))\n}"
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
