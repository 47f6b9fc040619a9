import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// `MobileTracker`: a backend session, one event a request.
    package static let tracker: [BridgedMethod] = [
        BridgedMethod(
            "init", InitArguments.parameters, takesAnyParams: true, result: "Initialized",
            errors: [.invalidBrandId, .invalidConfiguration, .sessionCreationFailed, .storage, .initializationFailed],
            effect: .state,
            restores: .setup(
                holdsAfter: .sessionCreationFailed, again: ["sessionCreation": "inBackground"], once: ["initialScreen"]),
            "Prepares the tracker for a brand. Tracking calls made before it has answered are kept, in order.",
            example: #"["925", {"apiUrl": "https://api.example.com", "xApiKey": "key"}]"#
        ) { host, arguments, reply in
            let call = try InitArguments(arguments, defaults: TrackerConfig(delivery: host.settings.delivery))
            let answer = host.answeringInitialization(reply)
            host.tracker.initialize(
                brandId: call.brandId, config: call.config, whenIgnored: answer.whenIgnored,
                completion: answer.completion)
        },
        .tracking(
            "track",
            [
                .name("eventName", "What happened. Not blank."),
                .properties("attributes", "Facts about this event."),
                .optional("metadata", .object, "Technical context. Wins over an attribute of the same name."),
            ],
            "Records that an event happened.",
            example: #"["PURCHASE", {"total": 149.99}, {"flow_id": "checkout_v2"}]"#
        ) { arguments in
            .track(try arguments.string(0), arguments.properties(1), metadata: arguments.properties(2))
        },
        .tracking(
            "identify",
            [
                .user("userId", "The application's name for the user. Not empty."),
                .properties("profileData", "Facts about the user."),
            ],
            "Identifies the user, and sets facts about them.",
            example: #"["user-1", {"name": "Ada", "plan": "pro"}]"#
        ) { arguments in
            .identify(try arguments.id(0), arguments.properties(1))
        },
        .tracking(
            "set", [.properties("profileData", "Facts about the user.", isRequired: true)],
            "Sets facts about the user, without changing the user id.", example: #"[{"birthday": "1815-12-10"}]"#
        ) { arguments in
            .set(Properties(accepted: try arguments.text(0)))
        },
        .tracking(
            "setMetadata",
            [.properties("metadata", "Merged over the metadata that the session has.", isRequired: true)],
            "Sets metadata of the session, which go with all its later events.", example: #"[{"ab_group": "B"}]"#
        ) { arguments in
            .setMetadata(Properties(accepted: try arguments.text(0)))
        },
        .tracking(
            "screen",
            [
                .name("name", "The screen. Not blank."),
                .properties("properties", "Facts about the view. They win over `screen` and `url`."),
            ],
            "Records that a screen was shown, as the event `VIEW_PAGE`.", example: #"["Checkout", {"step": 2}]"#
        ) { arguments in
            .screen(try arguments.string(0), arguments.properties(1))
        },
        .tracking(
            "screenDidAppear",
            [
                .name("name", "The screen, or the title of a page. Not blank."),
                .optional("url", .string, "Identifies the screen; by default its name does."),
                .properties("properties", "Facts about the view. They win over `screen` and `url`."),
            ],
            "Records that the platform shows a screen. The same screen twice in a row is recorded once.",
            example: #"["Checkout", "https://shop.example.com/checkout"]"#
        ) { arguments in
            .screenDidAppear(
                try arguments.string(0), url: arguments.optionalString(1), properties: arguments.properties(2))
        },
        .tracking(
            "updateLocation",
            [
                .required("latitude", .number, "Degrees north, from -90 to 90.", role: "location"),
                .required("longitude", .number, "Degrees east, from -180 to 180.", role: "location"),
                .required("accuracy", .number, "The radius of uncertainty in metres, at least 0.", role: "location"),
            ],
            "Sends the location of the session's device.", example: "[52.52, 13.405, 20]"
        ) { arguments in
            .updateLocation(
                LocationData(
                    latitude: try arguments.requiredNumber(0), longitude: try arguments.requiredNumber(1),
                    accuracy: try arguments.requiredNumber(2)))
        },
        .tracking(
            "updateSessionEmail", [.required("email", .string, "One `@` and no spaces.")],
            "Sends the session's email address, and stores it once the backend has accepted it.",
            example: #"["ada@example.com"]"#
        ) { arguments in
            .updateSessionEmail(try arguments.string(0))
        },
        .tracking(
            "linkSession", [.required("sourceSessionId", .id, "The other session. Not empty.")],
            "Links another session of the same visitor to this one.", example: #"["session-0"]"#
        ) { arguments in
            .linkSession(try arguments.id(0))
        },
    ]
}

extension BridgedMethod {
    /// `MobileTracker`: its state, and what becomes of its queue.
    package static let trackerState: [BridgedMethod] = [
        BridgedMethod(
            "reset",
            [
                .optional("all", .boolean, "Also forgets the brand and drops every queued event."), .repeatsReset,
                .messageID,
            ],
            errors: [.storage], effect: .state, restores: .endsBrand,
            "Forgets the user: session, email, user id, metadata and device id. Makes a new session.",
            example: "[]"
        ) { host, arguments, reply in
            host.tracker.reset(
                all: arguments.bool(0) ?? false, messageID: try arguments.messageID(2),
                repetition: try arguments.optionalWord(1), completion: host.answering(reply))
        },
        .flush("flush", on: \.tracker),
        .credentials("setCredentials", on: \.tracker),
        BridgedMethod(
            "setConsent", [.required("consent", .string, "What the user decided.", schema: "Consent"), .messageID],
            errors: [.storage], effect: .state, restores: .consent,
            "Records the user's decision. It outlives restarts and resets.",
            example: #"["granted"]"#
        ) { host, arguments, reply in
            host.tracker.setConsent(
                try arguments.word(0), messageID: try arguments.messageID(1),
                completion: host.answering(reply))
        },
        .reading("isTrackingAllowed", on: \.tracker, result: "TrackingAllowed", "Whether consent is granted.") {
            tracker, _ in
            .object("allowed", tracker.isTrackingAllowed)
        }
        .whenOff(.consent),
        .reading("getSessionId", on: \.tracker, result: "SessionId", "The backend's name for the current session.") {
            tracker, _ in
            .object("sessionId", tracker.sessionId)
        },
        .reading("getDeviceId", on: \.tracker, result: "DeviceId", "The installation's identifier.") { tracker, _ in
            .object("deviceId", tracker.deviceId)
        },
        .reading("getSessionEmail", on: \.tracker, result: "SessionEmail", "The email that `updateSessionEmail` set.") {
            tracker, _ in
            .object("sessionEmail", tracker.sessionEmail)
        },
        .reading("getBrandId", on: \.tracker, result: "StoredBrandId", "The brand, as it is stored.") { tracker, _ in
            .object("brandId", tracker.brandId)
        },
        .reading(
            "getCrossDomainUrl", on: \.tracker, [.required("url", .string, "An absolute URL.")],
            result: "CrossDomainUrl",
            "Adds the session to a URL's query, so that another site can continue it.",
            example: #"["https://shop.example.com/cart"]"#
        ) { tracker, arguments in
            .object("url", tracker.crossDomainURL(for: arguments.optionalString(0) ?? ""))
        }
        .whenOff(.param),
        .outcome(
            "continueSession", on: \.tracker, [.required("url", .string, "A URL that `getCrossDomainUrl` made.")],
            effect: .state, "Continues the session that a URL names.",
            example: #"["https://shop.example.com/cart?gt_session_id=session-0"]"#
        ) { tracker, arguments, id, caller in
            tracker.enqueue(.continueSession(from: try arguments.string(0)), messageID: id, caller: caller())
        },
        .reading(
            "getDebugInfo", on: \.tracker, result: "DebugInfo",
            "The state of the tracker: queue, session, circuit, account, configuration. Secrets are masked."
        ) { tracker, _ in
            JSONText(tree: tracker.debugInfo())
        }
        .whenOff(.state),
        BridgedMethod(
            "networkDidChange", [],
            "Says that the network is back: each client that waits for its next attempt makes it at once."
        ) { host, _, reply in
            host.networkDidChange()
            reply.succeed(with: .done)
        },
    ]
}
