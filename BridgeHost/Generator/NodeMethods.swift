import Bridge
import JSONRPC
import TrackerModels

/// The method table as JavaScript: what the Node client's functions are made from.
enum NodeMethods {
    /// The file's text.
    static var text: String {
        let tables = [
            table(
                "TRACKER", "the session-based tracker", BridgedMethod.tracker + BridgedMethod.trackerState, prefix: ""),
            table("ANALYTICS", "the analytics client", BridgedMethod.analytics, prefix: "analytics."),
            table("BASIC", "the basic tracker", BridgedMethod.basic, prefix: "basic."),
        ]
        return ([head, callOptions] + tables + [numbers]).joined(separator: "\n\n") + "\n"
    }

    /// The text of the file in which the functions of the tracker that all share are exported by name.
    static var functions: String {
        let names = (BridgedMethod.tracker + BridgedMethod.trackerState).map { "    \($0.method.name)," }
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
         * @property {'string' | 'number' | 'integer' | 'boolean' | 'object'} kind
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
         * @property {{ name: string, kind: 'string' | 'object' }[]} [options] What else that object may hold.
         * @property {boolean} [repeats] Whether the call is made again if the host dies before it answers.
         * @property {boolean} [isNamed] Whether the first argument is a name that may be logged.
         * @property {boolean} [takesObject] Whether an object as the first argument holds all params.
         */
        """

    /// The members of the options of an analytics call.
    private static var callOptions: String {
        guard case .object(let members, _)? = NamedSchema.named("AnalyticsCallOptions")?.schema else { return "" }
        let lines = members.map { member in
            let isObject = member.schema.isReference(to: "Properties")
            return "    { name: '\(member.name)', kind: '\(isObject ? "object" : "string")' },"
        }
        return "/** The options of an analytics call. */\n"
            + "const CALL_OPTIONS = [\n\(lines.joined(separator: "\n"))\n]"
    }

    private static func table(_ name: String, _ whose: String, _ rows: [BridgedMethod], prefix: String) -> String {
        let lines = rows.map { row in
            let name = row.method.name.dropFirst(prefix.count)
            return "    \(name): \(members(of: row.method, isStamped: prefix == "analytics.")),"
        }
        let comment = "/** The methods of \(whose). @type {Record<string, BridgedMethod>} */"
        return "\(comment)\nexport const \(name) = {\n\(lines.joined(separator: "\n"))\n}"
    }

    private static func members(of method: Method<HostSession>, isStamped: Bool) -> String {
        let result = NodeResult(of: method)
        let hasID = method.parameters.contains(where: \.isNamedOnly)
        let isBeginning = method.errors.contains(TrackerError.Code.initializationFailed.rawValue)
        let values = method.parameters.filter { !$0.isNamedOnly && !$0.isCallOptions }
        let params = values.map { param($0, of: result) }.joined() + (values.isEmpty ? "" : "\n        ")
        var members = ["params: [\(params)]"]
        members.append("gives: \(result.text)")
        if hasID { members.append("messageId: '\(isStamped && result == .outcome ? "stamped" : "uuid")'") }
        if method.parameters.contains(where: \.isCallOptions) { members.append("options: CALL_OPTIONS") }
        if hasID || isBeginning { members.append("repeats: true") }
        if let first = values.first, result == .outcome, fault(of: first, result) == "INVALID_EVENT_NAME" {
            members.append("isNamed: true")
        }
        if isBeginning, values.first?.kind == .string { members.append("takesObject: true") }
        return "{\n        \(members.joined(separator: ",\n        ")),\n    }"
    }

    private static func param(_ parameter: Parameter, of result: NodeResult) -> String {
        let members = [
            "name: '\(parameter.name)'", "kind: '\(parameter.kind.rawValue)'", "isRequired: \(parameter.isRequired)",
            "fault: '\(fault(of: parameter, result))'",
        ]
        return "\n            { \(members.joined(separator: ", ")) },"
    }

    /// What a wrong value of a parameter is answered with.
    static func fault(of parameter: Parameter, _ result: NodeResult) -> String {
        guard result == .outcome else {
            if let error = parameter.errorIfAbsent { return error.code }
            return parameter.kind == .object ? TrackerError.Code.invalidConfiguration.rawValue : "INVALID_PARAMS"
        }
        return switch parameter.name {
        case "eventName", "event", "name": RefusalReason.invalidEventName.rawValue
        case "userId", "newUserId": RefusalReason.invalidUserId.rawValue
        default: RefusalReason.invalidValue.rawValue
        }
    }

    /// The numbers of the errors, by their codes.
    private static var numbers: String {
        let lines = ErrorReference.everywhere.map { "    \($0.code): \($0.number)," }
        return "/** The number of each error that a message can carry. @type {Record<string, number>} */\n"
            + "export const NUMBERS = {\n\(lines.joined(separator: "\n"))\n}"
    }
}

/// What a promise of the Node client resolves with.
enum NodeResult: Hashable {
    case outcome
    case nothing
    case object
    case member(String)

    init(of method: Method<HostSession>) {
        let named = NamedSchema.named(method.result)
        if method.result == "Outcome" {
            self = .outcome
        } else if named?.isEmpty == true {
            self = .nothing
        } else if let member = named?.onlyMember {
            self = .member(member.name)
        } else {
            self = .object
        }
    }

    /// The value in the table.
    var text: String {
        switch self {
        case .outcome: "'outcome'"
        case .nothing: "'nothing'"
        case .object: "'object'"
        case .member(let name): "{ member: '\(name)' }"
        }
    }
}

extension Parameter {
    /// Whether this is what a call says for itself: in JavaScript it stands in one object with the message id.
    var isCallOptions: Bool { schema == "AnalyticsCallOptions" }
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
