import TrackerModels

extension NamedSchema {
    /// What methods take, besides configurations.
    static let values: [NamedSchema] = [
        NamedSchema(
            "MessageId", "1 to 128 printable ASCII characters, no space first or last.", .string,
            example: #""order-4711""#),
        NamedSchema(
            "Properties", "Facts: an object of what JSON can hold, at most 128 deep.", .anyObject,
            example: #"{"total": 149.99, "items": [{"sku": "A-1"}], "coupon": null}"#),
        NamedSchema(
            "Timestamp", "A date and a time of day with its zone, in the form of RFC 3339.", .string,
            example: #""2025-11-27T10:30:00.000Z""#),
        NamedSchema(
            "AnalyticsCallOptions", "What an analytics call says for itself, in the place of what the client knows.",
            CallFields.table.schema,
            example: #"{"userId": "user-1", "timestamp": "2025-11-27T10:30:00.000Z", "context": {"ip": "192.0.2.1"}}"#),
        NamedSchema(
            "Milliseconds", "A duration in whole milliseconds.", .count, example: "5000"),
        NamedSchema(
            "Consent", "What the user decided about tracking.", .choice(Consent.allCases.map(\.rawValue)),
            example: #""granted""#),
        NamedSchema(
            "Topic",
            "The method of notifications; `diagnostics` is another spelling of `diagnostic`. `delivered` asks for "
                + "diagnostics of that kind, one for each record that the server has taken.",
            .choice(NotificationPublisher.Topic.allCases.map(\.rawValue) + ["diagnostics"]),
            example: #""log""#),
        NamedSchema(
            "Topics", "What to hear of.", .oneOf([.reference("Topic"), .array(of: .reference("Topic"))]),
            example: #"["log", "session"]"#),
    ]

    /// Configurations of clients.
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
            "BasicOptions", "The options of `basic.initialize`.", BasicFields.table.schema,
            example: #"{"maxQueueSize": 50}"#),
    ]

    /// What notifications carry.
    static let notifications: [NamedSchema] = [
        NamedSchema(
            "LogNews", "A log message.",
            .object(
                [
                    .required("level", .choice(["debug", "info", "warning", "error"])), .required("message", .string),
                    .required("at", .string, "ISO 8601, milliseconds, UTC."),
                ], others: nil),
            example: #"{"level": "warning", "message": "…", "at": "2025-11-27T10:30:00.000Z"}"#),
        NamedSchema(
            "DiagnosticNews", "What happened to events.",
            .object(
                [
                    .required("client", .choice(["tracker", "analytics", "basic"]), "Whose events they are."),
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
            "SessionNews", "The session changed; null: there is none now.",
            .object([.required("sessionId", .string.orNull)], others: nil), example: #"{"sessionId": "session-1"}"#),
    ]

    private static var publishedSchema: Schema {
        guard case .object(let members, let others) = TrackerFields.published.schema else { return .anyObject }
        return .object([.required("apiKey", .string, "The brand.")] + members, others: others)
    }
}
