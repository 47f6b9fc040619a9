import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// `AnalyticsClient`: events in batches to an ingestion host.
    package static let analytics: [BridgedMethod] = [
        BridgedMethod(
            "analytics.initialize",
            [
                .optional(
                    "options", .object, "Where and how to deliver.", schema: "AnalyticsOptions",
                    else: FieldCheck.fault("options", .wrongKind(.object)).rpcError,
                    example: #"{"writeKey": "key", "ingestionHost": "https://in.example.com"}"#)
            ],
            result: "Initialized",
            errors: [.invalidConfiguration, .storage, .initializationFailed], effect: .state,
            restores: .setup(),
            "Initialises the analytics client. Calls made meanwhile take effect after it.",
            example: #"[{"writeKey": "key", "ingestionHost": "https://in.example.com"}]"#
        ) { host, arguments, reply in
            var options = InitOptions(delivery: host.settings.delivery)
            if let given = arguments.value(0) { try AnalyticsFields.table.read(given, into: &options) }
            // The smaller of two counts, and a caller here has only this one.
            options.delivery.requestTimeout = options.requestTimeout
            let answer = host.answeringInitialization(reply)
            host.analytics.initialize(with: options, whenIgnored: answer.whenIgnored, completion: answer.completion)
        },
        .analytics(
            "analytics.track",
            [
                .name("event", "What happened. Not blank."),
                .properties("properties", "Facts about it."),
            ], "Records that an event happened.",
            example: #"["Order Completed", {"total": 149.99}, {"userId": "user-1"}]"#
        ) {
            .track(event: try $0.string(0), properties: $0.properties(1))
        },
        .analytics(
            "analytics.identify",
            [
                .user("userId", "The application's name for the user. Not blank."),
                .properties("traits", "Facts about the user."),
            ], effect: .user, "Identifies the user of this event and all later ones.",
            example: #"["user-1", {"plan": "pro"}]"#
        ) {
            .identify(userId: try $0.id(0), traits: $0.properties(1))
        },
        .analytics(
            "analytics.group",
            [
                .required("groupId", .id, "The group. Not blank."),
                .properties("traits", "Facts about the group."),
            ], effect: .user, "Sets the user's group for this event and all later ones.",
            example: #"["group-1", {"name": "Acme"}]"#
        ) {
            .group(groupId: try $0.id(0), traits: $0.properties(1))
        },
        .analytics(
            "analytics.screen",
            [
                .name("name", "The screen. Not blank."),
                .properties("properties", "Facts about the view."),
            ], "Records that a screen was shown.", example: #"["Home", {"tab": 2}]"#
        ) {
            .screen(name: try $0.string(0), properties: $0.properties(1))
        },
        .analytics(
            "analytics.page",
            [
                .name("name", "The page. Not blank."),
                .properties("properties", "Facts about the view."),
            ], "Records that a page was shown.", example: #"["Pricing"]"#
        ) {
            .page(name: try $0.string(0), properties: $0.properties(1))
        },
        .analytics(
            "analytics.alias", [.user("newUserId", "The other name. Not blank.")], person: "anonymousId", effect: .user,
            "Gives the user another id, for this event and all later ones.", example: #"["user-2"]"#
        ) {
            .alias(newUserId: try $0.id(0))
        },
        .analyticsChange(
            "analytics.setAdvertisingId",
            [.optional("advertisingId", .id, "The identifier; `null` clears it, a blank one is ignored.")],
            "Sets the advertising identifier of all later events.",
            example: #"["6d92078a-8246-4ba4-ae5b-76104861e7dc"]"#
        ) {
            .setAdvertisingId($0.optionalID(0))
        },
        .analyticsChange(
            "analytics.clearAdvertisingId", [], "Removes the advertising identifier from all later events."
        ) { _ in
            .setAdvertisingId(nil)
        }
        .recorded(as: "setAdvertisingId"),
        BridgedMethod(
            "analytics.setDefaults",
            [
                .properties("properties", "For the properties of each `track`, `screen` and `page`."),
                .optional("context", .object, "For the context of each event.", role: "context"),
            ],
            errors: [.invalidConfiguration], restores: .defaults,
            "Gives every event from now on these values, instead of those before: at most 32 KiB. What a call and its scope "
                + "say themselves wins.",
            example: #"[{"release": "2.1"}, {"region": "eu"}]"#
        ) { host, arguments, reply in
            try host.analytics.setDefaults(properties: arguments.properties(0), context: arguments.properties(1))
            reply.succeed(with: .done)
        },
        .forgetting(
            "analytics.forget", result: "ForgetReport",
            "Erases what waits or was refused of a person, in all queues of the state folder, and has their later calls "
                + "dropped as FORGOTTEN."
        ) {
            $0.analytics.forget($1, completion: $2)
        } answer: {
            $0.json
        }
        .whenOff(.object(#"{"erased": 0, "deliveredOfAnyone": 0}"#)),
        .forgetting(
            "analytics.unforget", result: "Empty",
            "Has calls of a person who was forgotten taken again. What was erased does not come back."
        ) {
            $0.analytics.unforget($1, completion: $2)
        } answer: { _ in
            .done
        },
        .flush("analytics.flush", on: \.analytics),
        .credentials("analytics.setCredentials", on: \.analytics),
        BridgedMethod(
            "analytics.reset", [.repeatsReset, .messageID], errors: [.storage], effect: .state, restores: .ends,
            "Drops what is queued and forgets the user. Calls are refused until `analytics.initialize`."
        ) { host, arguments, reply in
            host.analytics.reset(
                messageID: try arguments.messageID(1), repetition: try arguments.optionalWord(0),
                completion: host.answering(reply))
        },
        BridgedMethod("analytics.enableDebugLogging", [], "Logs info and debug messages from now on.") {
            host, _, reply in
            host.analytics.enableDebugLogging()
            reply.succeed(with: .done)
        },
        .reading(
            "analytics.getDebugInfo", on: \.analytics, result: "AnalyticsDebugInfo", changedBy: .user,
            "The state of the client: lifecycle, queue, circuit, identity, options. Secrets are masked."
        ) { analytics, _ in
            JSONText(tree: analytics.debugInfo())
        }
        .whenOff(.state),
        BridgedMethod("analytics.foreground", [], "The application is in the foreground: what is queued is sent.") {
            host, _, reply in
            host.analytics.applicationDidBecomeActive()
            reply.succeed(with: .done)
        },
        BridgedMethod(
            "analytics.background", [],
            "The application is in the background: what is queued is sent once, then nothing until the foreground."
        ) { host, _, reply in
            host.analytics.applicationDidEnterBackground()
            reply.succeed(with: .done)
        },
    ]

    /// A change of the list of persons to forget. It may be made twice.
    private static func forgetting<Value>(
        _ name: String, result: String, _ summary: String,
        perform:
            @escaping @Sendable (
                HostSession, PersonIDs, @escaping @Sendable (Result<Value, TrackerError>) -> Void
            ) -> Void,
        answer: @escaping @Sendable (Value) -> JSONText
    ) -> BridgedMethod {
        BridgedMethod(
            name,
            [
                .optional("userId", .id, "The application's name for the user. One of the two is required."),
                .optional("anonymousId", .id, "The client's name for the visitor."),
            ],
            result: result, errors: [.invalidValue, .notInitialized, .listFull, .storage], effect: .state,
            isRepeatable: true, summary, example: #"["user-1"]"#
        ) { host, arguments, reply in
            let ids = PersonIDs(
                user: arguments.optionalID(0).map { .given($0) } ?? .leftOut,
                visitor: arguments.optionalID(1).map { .given($0) } ?? .leftOut)
            perform(host, ids, host.answeringOrFailing(reply, answer))
        }
    }
}
