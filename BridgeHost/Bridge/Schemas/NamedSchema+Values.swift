import TrackerCore
import TrackerModels

extension NamedSchema {
    /// What methods take, besides configurations.
    static let values: [NamedSchema] = [
        NamedSchema(
            "MessageId", "1 to 128 printable ASCII characters, no space first or last.", .string,
            example: #""order-4711""#),
        NamedSchema(
            "Properties", "Facts: a JSON object, nested at most 128 levels deep.", .anyObject,
            example: #"{"total": 149.99, "items": [{"sku": "A-1"}], "coupon": null}"#),
        NamedSchema(
            "Id",
            "The id of a user, a visitor, a group or a session, or for advertising: characters, or a whole number, which "
                + "stands for its digits.",
            .oneOf([.string, .integer]), example: #""user-1""#),
        NamedSchema(
            "Timestamp", "A date and a time of day with its zone, in the form of RFC 3339.", .string,
            example: #""2025-11-27T10:30:00.000Z""#),
        NamedSchema(
            "AnalyticsCallOptions", "Values for one analytics call, instead of the client's own.",
            CallFields.table.schema,
            example: #"{"userId": "user-1", "timestamp": "2025-11-27T10:30:00.000Z", "context": {"ip": "192.0.2.1"}}"#),
        NamedSchema(
            "AnalyticsScope", "Values for every analytics call that a part of a program makes.",
            CallFields.scope.schema,
            example: #"{"userId": "user-1", "properties": {"plan": "pro"}}"#),
        NamedSchema(
            "AnalyticsScopes", "Scopes, the outermost first.", .array(of: .reference("AnalyticsScope")),
            example: #"[{"userId": "user-1"}, {"properties": {"step": 2}}]"#),
        NamedSchema(
            "RefusedFilter",
            "Refused events: those that have one of the values in every member that is given. `null` is no value.",
            RefusedFields.table.schema,
            example: #"{"client": "analytics", "events": ["Purchase"], "statuses": [400, 422]}"#),
        NamedSchema(
            "Milliseconds", "A duration in whole milliseconds.", .count, example: "5000"),
        NamedSchema(
            "Consent", "What the user decided about tracking.", .choice(Consent.allCases.map(\.rawValue)),
            example: #""granted""#),
        NamedSchema(
            "CallRepetition",
            "What became of a call that you make once more: `unanswered` if it may have taken effect, `answered` if it did.",
            .choice(CallRepetition.allCases.map(\.rawValue)),
            example: #""unanswered""#),
        NamedSchema(
            "Topic",
            "The method of notifications; `diagnostics` is another spelling of `diagnostic`. `delivered` asks for "
                + "diagnostics of that kind, one for each record that the server has accepted.",
            .choice(NotificationPublisher.Topic.allCases.map(\.rawValue) + ["diagnostics"]),
            example: #""log""#),
        NamedSchema(
            "Topics", "What to hear of.", .oneOf([.reference("Topic"), .array(of: .reference("Topic"))]),
            example: #"["log", "session"]"#),
    ]

    static let configurations: [NamedSchema] = [
        NamedSchema(
            "TrackerConfig", "The configuration of `init`. `apiUrl` and `xApiKey` are required, or in the environment.",
            TrackerFields.table.schema,
            example: #"{"apiUrl": "https://api.example.com", "xApiKey": "key", "debug": true, "initTimeoutMs": 10000}"#),
        NamedSchema(
            "BrandIdOrReactNativeConfig",
            "A brand; or, as the only param, a config in the form that the React Native package publishes.",
            .oneOf([.string, .reference("ReactNativeConfig")]), example: #""925""#),
        NamedSchema(
            "ReactNativeConfig",
            "A config that names the brand as `apiKey`; `x_api_key` and `endpoint` stand for `xApiKey` and `apiUrl`.",
            publishedSchema, example: #"{"apiKey": "925", "x_api_key": "key", "endpoint": "https://api.example.com"}"#),
        NamedSchema(
            "AnalyticsOptions",
            "The options of `analytics.initialize`. `writeKey` and `ingestionHost` are required, or in the environment.",
            AnalyticsFields.table.schema,
            example: #"{"writeKey": "key", "ingestionHost": "https://in.example.com", "flushIntervalSeconds": 30}"#),
        NamedSchema(
            "RequestHeaders", "Header fields by their names.", .object([], others: .string),
            example: #"{"X-Tenant": "shop"}"#),
        NamedSchema(
            "BasicOptions", "The options of `basic.initialize`.", BasicFields.table.schema,
            example: #"{"maxQueueSize": 50}"#),
    ]

    package static let notifications: [NamedSchema] = [
        NamedSchema(
            "LogNotification", "A log message.",
            .object(
                [
                    .required("level", .choice(LogLevel.allCases.map(\.rawValue))), .required("message", .string),
                    .required("at", .string, "ISO 8601, milliseconds, UTC."),
                    .optional("call", .string, "The call that was dropped: an event by its name."),
                    .optional("reason", .reference("DropReason"), "Why calls were dropped, as their outcomes say."),
                    .optional("fault", .reference("Fault"), "What is wrong with the call."),
                    .optional("code", .string, "Why `init` has failed, as its answer says."),
                ], others: nil),
            example: #"{"level": "warning", "message": "…", "at": "2025-11-27T10:30:00.000Z"}"#),
        NamedSchema(
            "DiagnosticNotification", "What happened to events.",
            .object(
                [
                    .required(
                        "client", .choice(ClientName.allCases.map(\.rawValue)),
                        "Whose events they are."),
                    .required(
                        "kind",
                        .choice(["dropped", "delivered", "refused", "retried", "breaker", "storage", "lane", "missed"])),
                    .optional("reason", .string, "Why; of a breaker, its new state."),
                    .optional("messageId", .string, "Which record."),
                    .optional("status", .integer, "The server's answer."),
                    .optional("call", .string, "Which call was refused."),
                    .optional("count", .count, "How many records that are not named, or diagnostics."),
                    .optional("message", .string, "A sentence."),
                ], others: nil),
            example:
                #"{"client": "tracker", "kind": "dropped", "reason": "rejected", "status": 422, "messageId": "m1"}"#),
        NamedSchema(
            "CredentialsNotification",
            "Other credentials are needed: answer with `setCredentials` of that client within 10 s.",
            .object(
                [
                    .required("client", .choice(ClientName.allCases.map(\.rawValue)), "Whose they are."),
                    .optional("message", .string, "Why the server refuses those that the client has."),
                ], others: nil),
            example: #"{"client": "tracker", "message": "api.example.com answered 401"}"#),
        NamedSchema(
            "SessionNotification", "The session changed; null: there is none now.",
            .object([.required("sessionId", .string.orNull)], others: nil), example: #"{"sessionId": "session-1"}"#),
    ]

    private static var publishedSchema: Schema {
        guard case .object(let members, let others) = TrackerFields.published.schema else { return .anyObject }
        return .object([.required("apiKey", .string, "The brand.")] + members, others: others)
    }
}
