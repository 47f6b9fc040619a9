/// The type of a call as `beforeSend` receives it, in each language.
enum OutgoingCallType {
    private enum Kind {
        case text, object, location, scopes
    }

    private static let summary = """
        A call as `beforeSend` receives it: plain values, as they would be sent, and all of the call that leaves the machine.
        """

    /// What a call may have besides its `method`. The roles of parameters are these.
    private static let members: [(name: String, kind: Kind, summary: String)] = [
        ("name", .text, "The name of an event, a screen or a page."),
        (
            "userId", .text,
            "The user of `identify` and `alias`, or the one that an analytics call names in its options."
        ),
        ("anonymousId", .text, "The visitor that an analytics call names."),
        ("groupId", .text, "The group of `group`, or the one that an analytics call names in its options."),
        ("properties", .object, "Attributes, properties, traits, profile data, or the metadata of `setMetadata`."),
        ("metadata", .object, "The metadata of `track`."),
        ("context", .object, "The context of an analytics call."),
        ("timestamp", .text, "When it happened, if an analytics call says so: ISO 8601."),
        ("advertisingId", .text, "The id of `analytics.setAdvertisingId`."),
        ("email", .text, "The address of `updateSessionEmail`."),
        ("url", .text, "The URL of `screenDidAppear` and `continueSession`."),
        ("location", .location, "The location of `updateLocation`."),
        ("sourceSessionId", .text, "The session of `linkSession`."),
        (
            "scope", .scopes,
            "What the scopes around an analytics call give it, the outermost first. The call's own members win."
        ),
    ]

    private static let method = "Which call, as the bridge names it: `track`, `analytics.identify`, …"

    /// For TypeScript: a member that the call lacks is there as undefined.
    static var typeScript: String {
        let lines = members.flatMap { name, kind, summary in
            let type =
                switch kind {
                case .text: "string"
                case .object: "Record<string, any>"
                case .location: "{ latitude: number; longitude: number; accuracy: number }"
                case .scopes: "AnalyticsScope[]"
                }
            return ["    /** \(summary) */", "    \(name)?: \(type) | undefined"]
        }
        return """
            /**
             * \(summary)
             * A member that the call lacks is undefined. A BigInt stays one, so that its digits are kept.
             */
            export interface OutgoingCall {
                /** \(method) */
                readonly method: string
            \(lines.joined(separator: "\n"))
            }
            """
    }

    /// For Python: a member that the call lacks is not there, and a location has a class of its own.
    static var python: String {
        let lines = members.map { name, kind, summary in
            let type =
                switch kind {
                case .text: "str"
                case .object: "dict[str, Any]"
                case .location: "Location"
                case .scopes: "list[AnalyticsScope]"
                }
            return "    \(PythonNames.snake(name)): \(type)\n    \"\"\"\(PythonNames.sentence(summary))\"\"\""
        }
        return """
            class Location(TypedDict):
                \"\"\"The location of `update_location`.\"\"\"

                latitude: float
                longitude: float
                accuracy: float


            class OutgoingCall(TypedDict, total=False):
                \"\"\"\(summary.replacing("beforeSend", with: "before_send"))

                It has only the members that the call has. A number that a float cannot hold exactly, such as a `Decimal`, is a
                float here, and is sent exactly if it is left alone.
                \"\"\"

                method: str
                \"\"\"\(method)\"\"\"
            \(lines.joined(separator: "\n"))
            """
    }
}
