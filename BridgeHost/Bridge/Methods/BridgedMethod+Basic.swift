import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// `BasicTracker`: events in small groups to one endpoint.
    package static let basic: [BridgedMethod] = [
        BridgedMethod(
            "basic.initialize",
            [
                .optional(
                    "apiKey", .string,
                    "Sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. Not blank.",
                    else: TrackerError(.invalidAPIKey, "API key is required").rpcError),
                .optional(
                    "endpoint", .string,
                    "The URL that events are posted to. Required, or `MOBILE_TRACKER_API_URL` in the environment.",
                    else: TrackerError(.invalidEndpoint, "Endpoint is required, such as https://in.example.com/events")
                        .rpcError),
                .optional("appVersion", .string, "The application's version, for the events' context."),
                .optional(
                    "options", .object, "How events are kept and delivered.", schema: "BasicOptions",
                    else: FieldCheck.fault("options", .wrongKind(.object)).rpcError),
            ],
            result: "Initialized",
            errors: [.invalidAPIKey, .invalidEndpoint, .invalidConfiguration, .storage, .initializationFailed],
            effect: .user, restores: .setup(),
            "Initialises the basic tracker, or changes its configuration: what is queued goes to the new endpoint.",
            example: #"["key", "https://events.example.com/in", "1.2.3"]"#
        ) { host, arguments, reply in
            var options = BasicOptions(delivery: host.settings.delivery)
            if let object = arguments.value(3) { try BasicFields.table.read(object, at: "options", into: &options) }
            let answer = host.answeringInitialization(reply)
            host.basic.initialize(
                apiKey: arguments.optionalString(0), endpoint: arguments.optionalString(1),
                appVersion: arguments.optionalString(2), options: options, completion: answer.completion,
                whenIgnored: answer.whenIgnored)
        },
        .basic(
            "basic.track",
            [
                .name("event", "What happened. Not blank."),
                .properties("properties", "Facts about it."),
            ], "Records that an event happened.", example: #"["Button Clicked", {"button": "signup"}]"#
        ) {
            .track(event: try $0.string(0), properties: $0.properties(1))
        },
        .outcome(
            "basic.identify", on: \.basic,
            [
                .user("userId", "The application's name for the user. Not blank."),
                .properties("traits", "Facts about the user."),
                .repeats("Of one that you make once more after a crash: if it was answered, it makes no event."),
            ], effect: .user,
            restores: .user(dropped: [.plan, .storage, .queueFull, .forgotten, .trackingNotAllowed]),
            "Identifies the user of all later events.",
            example: #"["user-1", {"plan": "pro"}]"#
        ) { basic, arguments, id, caller in
            let call = BasicCall.identify(userId: try arguments.id(0), traits: arguments.properties(1))
            let repetition: CallRepetition? = try arguments.optionalWord(2)
            if repetition == .answered { return caller().receive(basic.restore(call, messageID: id)) }
            basic.enqueue(call, messageID: id, caller: caller())
        },
        .basic(
            "basic.screen",
            [
                .name("name", "The screen. Not blank."),
                .properties("properties", "Facts about the view."),
            ], "Records that a screen was shown.", example: #"["Home"]"#
        ) {
            .screen(name: try $0.string(0), properties: $0.properties(1))
        },
        .flush("basic.flush", on: \.basic),
        .credentials("basic.setCredentials", on: \.basic),
        .reading(
            "basic.getDebugInfo", on: \.basic, result: "BasicDebugInfo", changedBy: .user,
            "The state of the tracker: queue, circuit, user, account, configuration. Secrets are masked."
        ) { basic, _ in
            JSONText(tree: basic.debugInfo())
        }
        .whenOff(.state),
    ]
}
