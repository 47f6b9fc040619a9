import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// `MobileTracker`: its state, and what becomes of its queue.
    package static let trackerState: [BridgedMethod] = [
        BridgedMethod(
            "reset",
            [.optional("all", .boolean, "Also forgets the brand and drops every queued event."), .messageID],
            errors: [.storage], changesAnswers: true,
            "Forgets the user: session, email, user id, metadata and device id. Makes a new session.",
            example: "[]"
        ) { host, arguments, reply in
            host.tracker.accept(
                resetAll: arguments.bool(0) ?? false, messageID: try arguments.messageID(1),
                completion: host.answering(reply))
        },
        BridgedMethod(
            "flush", [.optional("timeoutMs", .integer, "How long to try; 30,000 by default.", schema: "Milliseconds")],
            result: "FlushReport", "Sends what is queued now. Other calls do not wait for it.", example: "[5000]"
        ) { host, arguments, reply in
            host.tracker.accept(
                flush: try arguments.milliseconds(0) ?? .seconds(30), completion: host.answeringLate(reply))
        },
        BridgedMethod(
            "setConsent", [.required("consent", .string, "What the user decided.", schema: "Consent"), .messageID],
            errors: [.storage], changesAnswers: true,
            "Records the user's decision. It outlives restarts and resets.",
            example: #"["granted"]"#
        ) { host, arguments, reply in
            host.tracker.accept(
                consent: try arguments.word(0), messageID: try arguments.messageID(1),
                completion: host.answering(reply))
        },
        .reading("isTrackingAllowed", on: \.tracker, result: "TrackingAllowed", "Whether consent is granted.") {
            tracker, _ in
            .object("allowed", tracker.isTrackingAllowed)
        },
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
            "Adds the session to a URL's query, so that another site can go on with it.",
            example: #"["https://shop.example.com/cart"]"#
        ) { tracker, arguments in
            .object("url", tracker.crossDomainURL(for: arguments.optionalString(0) ?? ""))
        },
        .outcome(
            "continueSession", on: \.tracker, [.required("url", .string, "A URL that `getCrossDomainUrl` made.")],
            changesAnswers: true, "Goes on with the session that a URL carries.",
            example: #"["https://shop.example.com/cart?gt_session_id=session-0"]"#
        ) { tracker, arguments, id, completion in
            tracker.accept(
                .continueSession(from: try arguments.string(0)), messageID: id, completion: completion())
        },
        .reading(
            "getDebugInfo", on: \.tracker, result: "DebugInfo",
            "How things stand: queue, session, circuit, account, configuration. Secrets are masked."
        ) { tracker, _ in
            JSONText(tree: tracker.debugInfo())
        },
        BridgedMethod(
            "networkDidChange", [],
            "Tells every client that the network is back: a wait for the next attempt is cut short, once."
        ) { host, _, reply in
            host.networkDidChange()
            reply.succeed(with: .done)
        },
    ]
}
