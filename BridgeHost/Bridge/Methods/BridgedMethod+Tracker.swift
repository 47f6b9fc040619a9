import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// `MobileTracker`: a backend session, one event a request.
    package static let tracker: [BridgedMethod] = [
        BridgedMethod(
            "init", InitArguments.parameters, takesAnyParams: true,
            errors: [.invalidBrandId, .invalidConfiguration, .sessionCreationFailed, .storage, .initializationFailed],
            changesAnswers: true,
            "Prepares the tracker for a brand. Tracking calls made before it has answered are held.",
            example: #"["925", {"apiUrl": "https://api.example.com", "xApiKey": "key"}]"#
        ) { host, arguments, reply in
            let call = try InitArguments(arguments, defaults: TrackerConfig(delivery: host.settings.delivery))
            host.tracker.accept(
                initialize: call.brandId, config: call.config, completion: host.answeringLate(reply))
        },
        .tracking(
            "track",
            [
                .required("eventName", .string, "What happened. Not blank."),
                .optional("attributes", .object, "Facts about this event."),
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
                .required("userId", .string, "The application's name for the user. Not empty."),
                .optional("profileData", .object, "Facts about the user."),
            ],
            "Tells who the user is, and what is known of them.",
            example: #"["user-1", {"name": "Ada", "plan": "pro"}]"#
        ) { arguments in
            .identify(try arguments.string(0), arguments.properties(1))
        },
        .tracking(
            "set", [.required("profileData", .object, "Facts about the user.")],
            "Updates what is known of the user, without changing who it is.", example: #"[{"birthday": "1815-12-10"}]"#
        ) { arguments in
            .set(Properties(try arguments.text(0)))
        },
        .tracking(
            "setMetadata", [.required("metadata", .object, "Merged over the metadata that the session has.")],
            "Sets metadata of the session, which go with all its later events.", example: #"[{"ab_group": "B"}]"#
        ) { arguments in
            .setMetadata(Properties(try arguments.text(0)))
        },
        .tracking(
            "screen",
            [
                .required("name", .string, "The screen. Not blank."),
                .optional("properties", .object, "Facts about the view. They win over `screen` and `url`."),
            ],
            "Records that a screen was shown, as the event `VIEW_PAGE`.", example: #"["Checkout", {"step": 2}]"#
        ) { arguments in
            .screen(try arguments.string(0), arguments.properties(1))
        },
        .tracking(
            "screenDidAppear",
            [
                .required("name", .string, "The screen, or the title of a page. Not blank."),
                .optional("url", .string, "What tells it from others; its name by default."),
                .optional("properties", .object, "Facts about the view. They win over `screen` and `url`."),
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
                .required("latitude", .number, "Degrees north, from -90 to 90."),
                .required("longitude", .number, "Degrees east, from -180 to 180."),
                .required("accuracy", .number, "The radius of uncertainty in metres, at least 0."),
            ],
            "Tells the backend where the session's device is.", example: "[52.52, 13.405, 20]"
        ) { arguments in
            .updateLocation(
                LocationData(
                    latitude: try arguments.requiredNumber(0), longitude: try arguments.requiredNumber(1),
                    accuracy: try arguments.requiredNumber(2)))
        },
        .tracking(
            "updateSessionEmail", [.required("email", .string, "One `@` and no spaces.")],
            "Tells the backend the session's email address, and stores it once the backend has it.",
            example: #"["ada@example.com"]"#
        ) { arguments in
            .updateSessionEmail(try arguments.string(0))
        },
        .tracking(
            "linkSession", [.required("sourceSessionId", .string, "The other session. Not empty.")],
            "Links another session of the same visitor to this one.", example: #"["session-0"]"#
        ) { arguments in
            .linkSession(try arguments.string(0))
        },
    ]
}
