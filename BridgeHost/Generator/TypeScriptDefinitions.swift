import Bridge
import JSONRPC
import TrackerModels

/// The method table as TypeScript: what the Node client's functions take and give.
///
/// JavaScript's own habits are in here and nowhere else: a result of one value is that value, nothing is `void`, and a
/// message id is a member of an object that may follow the arguments.
enum TypeScriptDefinitions {
    static var text: String {
        let interfaces = ClientGroup.all.map { group in
            let functions = group.rows.map { function(of: $0, named: group.name(of: $0)) }
            let head = "/** \(group.summary) */\nexport interface \(group.name)Methods {"
            return "\(head)\n\(functions.joined(separator: "\n"))\n}"
        }
        let shared = Schema.object(ClientOptions.members, others: nil).typeScript()
        let types =
            ["/** \(ClientOptions.summary) */\nexport interface \(ClientOptions.name) \(shared)"]
            + NamedSchema.all.filter(\.isShown).map(declaration)
        let codes = ErrorReference.everywhere.map { "    /** \($0.summary) */\n    | '\($0.code)'" }
        let errors =
            "/** The code of an error that the host answers. */\nexport type HostErrorCode =\n"
            + codes.joined(separator: "\n")
        let named = ClientGroup.tracker.rows.map {
            "export const \($0.method.name): TrackerMethods['\($0.method.name)']"
        }
        let exports = ["// The functions of the tracker that all share, each by its name."] + named
        return ([head] + types + [errors] + interfaces + [exports.joined(separator: "\n")]).joined(separator: "\n\n")
            + "\n"
    }

    private static let head = """
        // Made by `make generate` from the host's method table: a change here is lost.

        /**
         * The properties of an event, the data of a profile and the like: a JSON object. Undefined
         * members are left out, and `toJSON` is called. A Date is its ISO text, a URL its text, a BigInt an exact number, a
         * Map an object, a Set an array, an Error its name, message and stack. Functions and symbols are left out, with a
         * warning.
         *
         * NaN, infinities, cycles, lone surrogates and more than 128 levels are refused: the call is dropped as
         * `SERIALIZATION_ERROR`, and a warning says where the value is. {@link Convert} can turn what JSON does not have
         * into something that it has.
         *
         * An array, a Date, a function, a Set or a RegExp is no object of properties, and does not compile.
         */
        export type Properties = ((object | { readonly [name: string]: unknown }) & NoOtherObject) | ReadonlyMap<any, unknown>

        /** What arrays and Sets, Dates, RegExps and functions have, and an object of properties has not. */
        export interface NoOtherObject {
            readonly [Symbol.iterator]?: never
            readonly [Symbol.toPrimitive]?: never
            readonly [Symbol.match]?: never
            readonly [Symbol.hasInstance]?: never
        }

        /** The id of a user, a visitor or a group: text, or a whole number or a UUID, which stands for its text. */
        export type Id = string | number | bigint | { toJSON(): string }

        /** When something happened: a Date, or ISO 8601 with the zone, such as `2025-11-27T10:30:00.000Z`. */
        export type Timestamp = Date | string

        \(OutgoingCallType.typeScript)

        /**
         * Receives each valid tracking call before anything is written. Change the call or return another; return
         * `null` or `false` to drop it, with the outcome `BEFORE_SEND`. If it throws, the call is dropped too, with a warning.
         */
        export type BeforeSend = (call: OutgoingCall) => OutgoingCall | null | false | undefined | void

        /**
         * Receives each value that JSON has no form for (NaN, an infinity, an invalid Date, a function, a symbol, a promise,
         * a regular expression) and where it is, such as `attributes.items[2]`. Return what stands for it. After
         * `undefined` the value is refused or left out as without this function.
         */
        export type Convert = (value: unknown, path: string) => unknown

        /** Where messages go, such as `console` or a logger with methods of the same names. */
        export interface Logger {
            debug?(message: string): void
            info?(message: string): void
            warn?(message: string): void
            error?(message: string): void
        }

        /** What a client proves itself with to the server. What is left out stays as it is. */
        export interface Credentials {
            /** The client's key. */
            key?: string | null
            /** Header fields for every request, instead of those before. */
            headers?: RequestHeaders | null
        }

        /**
         * Gives a client its credentials, if it has no key and after the server has answered 401. If it throws, or takes
         * longer than 10 s, delivery halts.
         */
        export type CredentialsProvider = (client: 'tracker' | 'analytics' | 'basic') => Credentials | Promise<Credentials>

        /** What a client's configuration may hold besides what goes to the host. */
        export interface ClientHooks {
            /** Gives this client its key and headers, which the configuration may leave out then. */
            credentials?: CredentialsProvider | null
            /** Receives the calls of this client. */
            beforeSend?: BeforeSend | null
            /** Turns what JSON does not have in the calls of this client into something that it has. */
            convert?: Convert | null
            /** Receives the warnings and the host's log of all clients of this tracker from now on. */
            logger?: Logger | null
        }

        /** What may follow the arguments of a call that has an effect. */
        export interface CallOptions {
            /** An id for the call: a second call with it has no effect. Made if left out. */
            messageId?: string
        }
        """

    private static func declaration(of named: NamedSchema) -> String {
        let comment = "/** \(named.summary) */\n"
        let type = named.schema.typeScript()
        guard case .object(let members, let others) = named.schema, !members.isEmpty else {
            return "\(comment)export type \(named.name) = \(type)"
        }
        let (own, hasShared) = ClientOptions.split(members)
        guard hasShared else { return "\(comment)export interface \(named.name) \(type)" }
        let body = Schema.object(own, others: others).typeScript()
        return "\(comment)export interface \(named.name) extends \(ClientOptions.name) \(body)"
    }

    private static func function(of row: BridgedMethod, named name: String) -> String {
        let method = row.method
        var lines = ["    /**", "     * \(method.summary)"]
        let described = method.parameters.filter { !$0.isNamedOnly && !$0.isCallOptions && !$0.summary.isEmpty }
        if !described.isEmpty { lines.append("     *") }
        lines += described.map { "     * @param \($0.name) \($0.summary)" }
        if !method.errors.isEmpty {
            lines.append(
                "     * @throws {MobileTrackerError} \(method.errors.map { "`\($0)`" }.joined(separator: ", "))")
        }
        lines.append("     */")
        lines.append("    \(name)(\(arguments(of: method))): Promise<\(result(of: row))>")
        if let first = method.parameters.first, let other = first.alternative {
            lines.append("    \(name)(\(other.name): \(other.type)): Promise<\(result(of: row))>")
        } else if row.takesObject, method.parameters.count > 1 {
            let members = arguments(of: method).split(separator: ", ").joined(separator: "; ")
            lines.append("    \(name)(params: { \(members) }): Promise<\(result(of: row))>")
        }
        return lines.joined(separator: "\n")
    }

    private static func arguments(of method: Method<HostSession>) -> String {
        let options = method.parameters.contains(where: \.isCallOptions)
        return method.parameters.filter { !$0.isCallOptions && !$0.isOfLibrary }.map { parameter in
            guard !parameter.isNamedOnly else {
                return "options?: \(options ? "AnalyticsCallOptions & " : "")CallOptions"
            }
            return parameter.isRequired
                ? "\(parameter.name): \(parameter.typeScript)" : "\(parameter.name)?: \(parameter.typeScript) | null"
        }.joined(separator: ", ")
    }

    /// The type of what a promise resolves with.
    private static func result(of row: BridgedMethod) -> String {
        if CallResult(of: row) == .nothing { return "void" }
        guard let named = NamedSchema.named(row.method.result) else { return "unknown" }
        return named.onlyMember.map { $0.schema.typeScript() } ?? named.name
    }
}

extension Parameter {
    fileprivate var typeScript: String {
        switch (schema, kind) {
        case ("Milliseconds"?, _): "number"
        case ("BrandIdOrReactNativeConfig"?, _): "string"
        case (let schema?, _) where ["TrackerConfig", "AnalyticsOptions", "BasicOptions"].contains(schema):
            "\(schema) & ClientHooks"
        case (let schema?, _): schema
        default: described.typeScript()
        }
    }

    /// What may be given in the place of all arguments.
    fileprivate var alternative: (name: String, type: String)? {
        schema == "BrandIdOrReactNativeConfig" ? ("config", "ReactNativeConfig & ClientHooks") : nil
    }
}

extension Schema {
    /// The description as a TypeScript type.
    ///
    /// - Parameter indentation: How far the line is indented in which the type begins.
    func typeScript(indentation: Int = 0) -> String {
        switch self {
        case .anything: "unknown"
        case .string: "string"
        case .boolean: "boolean"
        case .null: "null"
        case .number, .integer: "number"
        case .choice(let words): words.map { "'\($0)'" }.joined(separator: " | ")
        case .array(let element): "Array<\(element.typeScript(indentation: indentation))>"
        case .object(let members, let others): Self.typeScript(members, others, indentation)
        case .oneOf(let schemas):
            schemas.map { $0.typeScript(indentation: indentation) }.joined(separator: " | ")
        case .reference(let name): name
        }
    }

    private static func typeScript(_ members: [Member], _ others: Schema?, _ indentation: Int) -> String {
        guard !members.isEmpty else {
            return "Record<string, \(others?.typeScript() ?? "never")>"
        }
        let margin = String(repeating: " ", count: indentation + 4)
        var lines = ["{"]
        for member in members {
            if !member.summary.isEmpty { lines.append("\(margin)/** \(member.summary) */") }
            let type = member.schema.typeScript(indentation: indentation + 4)
            lines.append("\(margin)\(member.name)\(member.isRequired ? "" : "?"): \(type)")
        }
        if others != nil { lines.append("\(margin)[more: string]: unknown") }
        lines.append(String(repeating: " ", count: indentation) + "}")
        return lines.joined(separator: "\n")
    }
}
