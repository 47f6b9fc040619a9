import TrackerCore
import TrackerModels

extension NamedSchema {
    private static let messageID = "5f0c7e85-9a51-4c0e-8d8e-0f2a6c1b7d11"

    static let results: [NamedSchema] = [
        NamedSchema("Empty", "Nothing but success.", .object([], others: nil), example: "{}"),
        NamedSchema(
            "Initialized", "Success.",
            .object(
                [
                    .optional(
                        "ignored", .boolean,
                        "True if the client goes on with what it was initialised with before, and ignores these arguments."
                    )
                ], others: nil), example: "{}"),
        NamedSchema(
            "Outcome", "What became of a call.",
            .oneOf([.reference("AcceptedOutcome"), .reference("DroppedOutcome")]),
            example: #"{"status": "queued", "messageId": "\#(messageID)"}"#),
        NamedSchema(
            "AcceptedOutcome", "The call is on disk. If `pending`, it also waits for a session or for consent.",
            .object(
                [
                    .required("status", .choice(["queued", "pending"])),
                    .required("messageId", .string, "The id of the call."),
                ], others: nil),
            example: #"{"status": "pending", "messageId": "\#(messageID)"}"#),
        NamedSchema(
            "DroppedOutcome", "The call was refused, and nothing of it was stored.",
            .object(
                [
                    .required("status", .choice(["dropped"])), .required("reason", .reference("DropReason")),
                    .optional("fault", .reference("Fault"), "What is wrong, if the reason does not say all."),
                ], others: nil),
            example: #"{"status": "dropped", "reason": "NOT_INITIALIZED"}"#),
        NamedSchema(
            "Fault", "What is wrong, as data. `FaultWord.swift` has a text for each reason.",
            .object(
                [
                    .required("reason", .string, "A word that does not change between versions."),
                    .optional("option", .string, "The option or the argument, or the way to a value in it."),
                    .optional(
                        "expected", .oneOf([.string, .array(of: .string)]),
                        "The kind that it must have, or the words that it may be."),
                    .optional("given", .string, "The type that it has."),
                    .optional("most", .number(least: nil, most: nil), "Its limit; a duration in milliseconds."),
                    .optional("detail", .string, "Of a file or a plan: more, in words."),
                ], others: .anything),
            example: #"{"reason": "size", "option": "maxEventBytes", "most": 524288}"#),
        NamedSchema(
            "DropReason", "Why a call was refused.", .choice(RefusalReason.allCases.map(\.rawValue)),
            example: #""NOT_INITIALIZED""#),
        NamedSchema(
            "FlushReport", "The result of a flush.",
            .object(
                [
                    .required("delivered", .count, "How many events that were queued at the call have been delivered."),
                    .required(
                        "remaining", .count,
                        "How many of them still wait, or were dropped since the server refused the client."),
                    .optional(
                        "stoppedBy", .reference("StopReason"), "Why they were not delivered; absent if none remain."),
                ], others: nil),
            example: #"{"delivered": 3, "remaining": 1, "stoppedBy": "retryWait"}"#),
        NamedSchema(
            "ForgetReport", "What became of a person's events.",
            .object(
                [
                    .required(
                        "erased", .count, "How many events were erased: that waited, or were refused."),
                    .required(
                        "deliveredOfAnyone", .count,
                        "How many events this queue has delivered since it was made, of anyone: whose they were is not kept."
                    ),
                ], others: nil),
            example: #"{"erased": 3, "deliveredOfAnyone": 120}"#),
        NamedSchema(
            "StopReason", "Why events that are queued are not sent at once.",
            .choice(StopReason.allCases.map(\.rawValue)), example: #""retryWait""#),
        value("SessionId", "sessionId", "The backend's name for the session; null without one.", "session-1"),
        value("DeviceId", "deviceId", "The installation's identifier; null before the first session.", messageID),
        value("SessionEmail", "sessionEmail", "The session's email; null without one.", "ada@example.com"),
        value(
            "StoredBrandId", "brandId",
            "The brand; null before `init`, and from a `reset` with `all` or a denial to the next `init`.", "925"),
        NamedSchema(
            "TrackingAllowed", "Whether consent is granted.", .object([.required("allowed", .boolean)], others: nil),
            example: #"{"allowed": true}"#),
        NamedSchema(
            "CrossDomainUrl", "The URL, with the session if the configuration allows it.",
            .object([.required("url", .string)], others: nil),
            example: #"{"url": "https://shop.example.com/cart?gt_session_id=session-1"}"#),
        debugInfo(
            "DebugInfo", "The state of the tracker.",
            lifecycle: "`idle`, `initializing`, `ready`, `halted`, `disabled` and the like.",
            identity: [
                .optional("sessionId", .string.orNull, "The current session."),
                .optional("deviceId", .string.orNull, "The installation's identifier."),
                .optional("consent", .reference("Consent"), "What the user decided."),
            ], config: "The configuration, secrets masked.",
            example: #"{"lifecycle": "ready", "queueLength": 0, "circuitState": "closed", "consent": "granted"}"#),
        debugInfo(
            "AnalyticsDebugInfo", "The state of the analytics client.",
            lifecycle: "`idle`, `initializing`, `ready`, `halted`, `resetting` or `disabled`.",
            settings: [
                .optional("writeKey", .string, "Masked."),
                .optional("ingestionHost", .string),
                .optional("flushIntervalSeconds", .integer),
                .optional("maxQueueEvents", .integer),
            ],
            identity: [
                .optional("anonymousId", .string.orNull),
                .optional("userId", .string.orNull),
                .optional("groupId", .string.orNull),
            ], config: "The options, secrets masked, without `context`.",
            example: #"{"lifecycle": "ready", "queueLength": 2, "writeKey": "****-key", "userId": "user-1"}"#),
        debugInfo(
            "BasicDebugInfo", "The state of the basic tracker.",
            lifecycle: "`idle`, `ready`, `halted` or `disabled`.",
            settings: [
                .optional("endpoint", .string, "Where they go."),
                .optional("maxQueueSize", .integer, "How many may wait."),
                .optional("userId", .string.orNull),
            ], config: "The configuration, secrets masked.",
            example: #"{"lifecycle": "ready", "queueLength": 2, "circuitState": "closed", "userId": "user-1"}"#),
        NamedSchema(
            "RefusedEvent", "An event that the server has refused for good. It is kept apart from the queue.",
            .object(
                [
                    .required("client", .choice(ClientName.allCases.map(\.rawValue)), "Whose it is."),
                    .required("messageId", .string, "The id under which it was sent."),
                    .required("call", .string, "The call that made it, such as `track`."),
                    .required("event", .string.orNull, "The name of the event, screen or page, if it has one."),
                    .required(
                        "reason", .choice(RefusedEvent.Reason.allCases.map(\.rawValue)),
                        "Why the server would not have it."),
                    .required("status", .integer.orNull, "What the server answered; null if it was not sent."),
                    .required("answer", .string, "The first KiB of the answer's body."),
                    .required("refusedAt", .string, "When it left the queue: ISO 8601, milliseconds, UTC."),
                    .required("occurredAt", .string, "When the call was made."),
                    .required("attempts", .count, "How often it was sent, as far as is known."),
                    .required("sessionId", .string.orNull, "The session that it was for."),
                    .required("body", .anyObject, "What it carried."),
                ], others: nil),
            example:
                #"{"client": "tracker", "messageId": "\#(messageID)", "call": "track", "event": "PURCHASE", "reason": "rejected", "status": 422, "answer": "unknown event", "refusedAt": "2025-11-27T10:30:00.000Z", "occurredAt": "2025-11-27T10:29:59.000Z", "attempts": 1, "sessionId": "session-1", "body": {"event_name": "PURCHASE"}}"#
        ),
        NamedSchema(
            "RefusedEvents", "Refused events.",
            .object([.required("events", .array(of: .reference("RefusedEvent")))], others: nil),
            example: #"{"events": []}"#),
        NamedSchema(
            "RequeuedEvents", "How many refused events were queued again; the others stay, for want of room.",
            .object([.required("requeued", .count)], others: nil), example: #"{"requeued": 2}"#),
        NamedSchema(
            "DroppedEvents", "How many refused events were removed.",
            .object([.required("dropped", .count)], others: nil), example: #"{"dropped": 2}"#),
        NamedSchema(
            "RecordedCall",
            "A call that a program under test has made, as `beforeSend` has left it, with whose event it became.",
            .object(
                [
                    .required("client", .choice(ClientName.allCases.map(\.rawValue)), "Whose it is."),
                    .required("method", .string, "Which call, such as `track`."),
                    .optional("name", .string, "The name of an event, a screen or a page."),
                    .optional("userId", .string, "The user of an event of `analytics` or `basic`."),
                    .optional("anonymousId", .string, "The visitor of an event of `analytics`."),
                    .optional("groupId", .string, "The group of an event of `analytics`."),
                    .optional("properties", .anyObject, "Its attributes, properties, traits or profile data."),
                    .optional("metadata", .anyObject, "The metadata of `track`."),
                    .optional("context", .anyObject, "The context of an event of `analytics`."),
                    .optional("timestamp", .string, "When it happened, if its options say so."),
                    .optional("advertisingId", .string), .optional("email", .string), .optional("url", .string),
                    .optional("location", .anyObject, "Latitude, longitude and accuracy."),
                    .optional("sourceSessionId", .string),
                    .required(
                        "outcome",
                        .object(
                            [
                                .required("status", .choice(["queued", "pending", "dropped"])),
                                .optional("messageId", .string, "The id of the call."),
                                .optional("reason", .reference("DropReason"), "Why it was dropped."),
                            ], others: nil
                        ).orNull,
                        "What became of it; null while it waits for its client to be initialised."),
                ], others: nil),
            example:
                #"{"client": "analytics", "method": "track", "name": "Order Completed", "userId": "user-1", "properties": {"total": 149.99}, "outcome": {"status": "queued", "messageId": "\#(messageID)"}}"#
        ),
        NamedSchema(
            "RecordedCalls", "Calls, in the order in which they were made.",
            .object([.required("calls", .array(of: .reference("RecordedCall")))], others: nil),
            example: #"{"calls": []}"#),
        NamedSchema(
            "ExpectedCalls", "The calls that are as expected.",
            .object(
                [
                    .required("calls", .array(of: .reference("RecordedCall")), "The calls, in their order."),
                    .required(
                        "failure", .string.orNull,
                        "If they are not as many as expected: what was expected, which call came nearest, and what of it "
                            + "differs."),
                ], others: nil),
            example:
                #"{"calls": [], "failure": "Expected a call \"Order Completed\", and there was none.\nNo call was made."}"#
        ),
        NamedSchema(
            "HostInfo", "The name, version and methods of a host.",
            .object(
                [
                    .required("name", .string), .required("version", .string, "A semantic version."),
                    .required("protocolVersion", .integer, "Changes when older clients no longer work."),
                    .required("maxMessageBytes", .count, "The longest message that is accepted."),
                    .required("methods", .array(of: .string), "The names of all methods."),
                ], others: nil),
            example:
                #"{"name": "BridgeHost", "version": "\#(ProductVersion.current)", "protocolVersion": 1, "maxMessageBytes": 16777216, "methods": ["init", "track"]}"#
        ),
        NamedSchema(
            "Metrics", "The metrics of a host's clients.",
            .object([.required("text", .string, "Text that Prometheus and its textfile collector read.")], others: nil),
            example: ##"{"text": "# EOF\n"}"##),
        NamedSchema(
            "OpenRPCDocument", "An OpenRPC document.",
            .object(
                [
                    .required("openrpc", .string), .required("info", .anyObject),
                    .required("methods", .array(of: .anyObject)), .optional("components", .anyObject),
                ], others: .anything),
            example:
                #"{"openrpc": "1.3.2", "info": {"title": "MobileTracker", "version": "\#(ProductVersion.current)"}, "methods": []}"#
        ),
    ]

    /// The debug information of a client: what all clients have, with its own settings and identity.
    private static func debugInfo(
        _ name: String, _ summary: String, lifecycle: String, settings: [Schema.Member] = [],
        identity: [Schema.Member] = [], config: String, example: String
    ) -> NamedSchema {
        let state: [Schema.Member] = [
            .required("lifecycle", .string, lifecycle),
            .optional("disabledBecause", .string, "Why it is disabled."),
            .optional(
                "halted", .anyObject,
                "Why delivery has halted, since when, and in how many milliseconds the next try is (`null`: with other "
                    + "credentials)."),
            .required("queueLength", .count, "How many events wait."),
            .optional("queueBytes", .count, "How many bytes they have."),
            .optional("oldestQueuedMs", .integer.orNull, "How long the oldest of them waits; null if there is none."),
        ]
        let delivery: [Schema.Member] = [
            .optional("circuitState", .choice(CircuitState.allCases.map(\.rawValue)), "The circuit breaker's state."),
            .optional("circuitRemainingMs", .number, "How long it stays open."),
            .optional("flushInFlight", .boolean, "Whether a request is under way."),
            .optional(
                "delivering", .choice(["here", "elsewhere", "waiting"]),
                "Which process sends: this one, another one, or none yet."),
        ]
        let counts: [Schema.Member] = [
            .optional("account", .anyObject, "Accepted, recovered, requeued, delivered, queued, dropped by reason."),
            .optional(
                "refusedEvents", .anyObject, "How many events are kept apart that the server has refused, by reason."),
            .optional("refused", .anyObject, "Calls refused when they were made, by reason."),
            .optional("bytesBeforeCompression", .count, "How many bytes of bodies the server has taken."),
            .optional("bytesAfterCompression", .count, "How many of them were sent."),
            .optional(
                "storage", .string,
                "`ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it."),
            .optional("otherLanes", .array(of: .anyObject), "The queues of other addresses that hold events."),
            .optional("lastError", .anyObject.orNull, "The last failure of a request."),
            .optional("config", .anyObject, config),
        ]
        return NamedSchema(
            name, "\(summary) Later versions may add members.",
            .object(state + settings + delivery + identity + counts, others: .anything), example: example)
    }

    /// An object with one value that may be `null`.
    private static func value(_ name: String, _ member: String, _ summary: String, _ example: String) -> NamedSchema {
        NamedSchema(
            name, summary, .object([.required(member, .string.orNull)], others: nil),
            example: #"{"\#(member)": "\#(example)"}"#)
    }
}
