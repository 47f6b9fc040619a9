import TestSupport
import Testing
import TrackerCore
import TrackerModels

/// The tracker as a client of the host sees it: every call crosses the bridge.
final class BridgedTracker: TrackerSurface {
    private let client: BridgeClient

    init() throws {
        client = try BridgeClient()
    }

    func initialize(brandId: String, config: TrackerConfig?) async throws {
        let params: JSONValue = ["brandId": .string(brandId), "config": config.map { .object($0.json) } ?? .null]
        do {
            try await client.call("init", params)
        } catch let failure as BridgeFailure {
            throw TrackerError(failure)
        }
    }

    func track(
        eventName: String, attributes: JSONObject?, metadata: JSONObject?, messageId: MessageID?
    ) async -> TrackOutcome {
        await outcome(
            "track", ["eventName": .string(eventName), "attributes": .of(attributes), "metadata": .of(metadata)],
            messageId)
    }

    func identify(userId: String, profileData: JSONObject?, messageId: MessageID?) async -> TrackOutcome {
        await outcome("identify", ["userId": .string(userId), "profileData": .of(profileData)], messageId)
    }

    func set(profileData: JSONObject, messageId: MessageID?) async -> TrackOutcome {
        await outcome("set", ["profileData": .object(profileData)], messageId)
    }

    func setMetadata(_ metadata: JSONObject, messageId: MessageID?) async -> TrackOutcome {
        await outcome("setMetadata", ["metadata": .object(metadata)], messageId)
    }

    func screen(name: String, properties: JSONObject?, messageId: MessageID?) async -> TrackOutcome {
        await outcome("screen", ["name": .string(name), "properties": .of(properties)], messageId)
    }

    func screenDidAppear(
        name: String, url: String?, properties: JSONObject?, messageId: MessageID?
    ) async -> TrackOutcome {
        await outcome(
            "screenDidAppear",
            ["name": .string(name), "url": url.map { .string($0) } ?? .null, "properties": .of(properties)], messageId)
    }

    func updateLocation(_ location: LocationData, messageId: MessageID?) async -> TrackOutcome {
        await outcome(
            "updateLocation",
            [
                "latitude": JSONValue(location.latitude) ?? .null, "longitude": JSONValue(location.longitude) ?? .null,
                "accuracy": JSONValue(location.accuracy) ?? .null,
            ], messageId)
    }

    func updateSessionEmail(_ email: String, messageId: MessageID?) async -> TrackOutcome {
        await outcome("updateSessionEmail", ["email": .string(email)], messageId)
    }

    func linkSession(_ sourceSessionId: String, messageId: MessageID?) async -> TrackOutcome {
        await outcome("linkSession", ["sourceSessionId": .string(sourceSessionId)], messageId)
    }

    func continueSession(from url: String, messageId: MessageID?) async -> TrackOutcome {
        await outcome("continueSession", ["url": .string(url)], messageId)
    }

    func reset(all: Bool, messageId: MessageID?) async {
        await ask("reset", ["all": .bool(all), "messageId": .of(messageId)])
    }

    func setConsent(_ consent: Consent, messageId: MessageID?) async {
        await ask("setConsent", ["consent": .string(consent.rawValue), "messageId": .of(messageId)])
    }

    func flush(timeout: Duration) async -> FlushReport {
        let report = await ask("flush", [JSONValue(Int(timeout / .milliseconds(1)))])
        return FlushReport(
            delivered: Int(report["delivered"]?.intValue ?? -1), remaining: Int(report["remaining"]?.intValue ?? -1),
            stoppedBy: report["stoppedBy"]?.stringValue.flatMap(StopReason.init(rawValue:)))
    }

    func shutdown(timeout: Duration) async {
        await ask("host.shutdown", nil)
        // An end in another way is seen by what follows.
        _ = try? await client.host.end()
    }

    func networkDidChange() async { await ask("networkDidChange", nil) }

    func crossDomainURL(for url: String) async -> String {
        await ask("getCrossDomainUrl", [.string(url)])["url"]?.stringValue ?? ""
    }

    func debugInfo() async -> JSONObject { await ask("getDebugInfo", nil).objectValue ?? [:] }

    var isTrackingAllowed: Bool {
        get async { await ask("isTrackingAllowed", nil)["allowed"]?.boolValue ?? false }
    }

    var sessionId: String? { get async { await ask("getSessionId", nil)["sessionId"]?.stringValue } }
    var deviceId: String? { get async { await ask("getDeviceId", nil)["deviceId"]?.stringValue } }
    var sessionEmail: String? { get async { await ask("getSessionEmail", nil)["sessionEmail"]?.stringValue } }
    var brandId: String? { get async { await ask("getBrandId", nil)["brandId"]?.stringValue } }

    private func outcome(_ method: String, _ params: JSONObject, _ messageID: MessageID?) async -> TrackOutcome {
        var params = params
        params["messageId"] = .of(messageID)
        let outcome = await ask(method, .object(params))
        let id = outcome["messageId"]?.stringValue.flatMap { MessageID($0) }
        switch (outcome["status"]?.stringValue, id) {
        case ("queued", let id?): return .queued(id)
        case ("pending", let id?): return .pending(id)
        default:
            let reason = outcome["reason"]?.stringValue.flatMap(RefusalReason.init(rawValue:))
            if reason == nil { Issue.record("\(method) was answered with \(outcome)") }
            return .dropped(reason ?? .disabled)
        }
    }

    /// Calls what cannot fail.
    @discardableResult
    private func ask(_ method: String, _ params: JSONValue?) async -> JSONValue {
        do {
            return try await client.call(method, params)
        } catch {
            Issue.record("\(method) failed: \(error)")
            return .null
        }
    }
}

extension JSONValue {
    fileprivate static func of(_ object: JSONObject?) -> JSONValue { object.map { .object($0) } ?? .null }
    fileprivate static func of(_ id: MessageID?) -> JSONValue { id.map { .string($0.text) } ?? .null }
}

extension TrackerError {
    /// The native error that an answer stands for.
    fileprivate init(_ failure: BridgeFailure) {
        let cause: Cause? =
            switch (failure.data["status"]?.intValue, failure.data["cause"]?.stringValue) {
            case (let status?, _): .status(Int(status))
            case (nil, "NETWORK_ERROR"): .network(failure.data["reason"]?.stringValue ?? "")
            case (nil, "unreadable answer"): .unreadableAnswer
            case (nil, "timeout"): .timeout
            case (nil, "shutdown"): .shutdown
            default: nil
            }
        self.init(Code(rawValue: failure.code), failure.message, cause: cause)
    }
}

extension TrackerConfig {
    /// The configuration as it crosses the bridge: every key.
    fileprivate var json: JSONObject {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func milliseconds(_ duration: Duration?) -> JSONValue {
            duration.map { JSONValue(Int($0 / .milliseconds(1))) } ?? .null
        }

        return [
            "debug": .bool(debug), "apiUrl": text(apiUrl), "xApiKey": text(xApiKey),
            "crossSiteCookie": .bool(crossSiteCookie), "cookieDomain": text(cookieDomain),
            "cookieExpiration": JSONValue(cookieExpiration), "sessionCreation": .string(sessionCreation.rawValue),
            "initTimeoutMs": milliseconds(initTimeout), "consent": .string(consent.rawValue),
            "device": ["osName": text(device.osName), "deviceType": text(device.deviceType)],
            "initialScreen": initialScreen.map { ["name": .string($0.name), "url": text($0.url)] } ?? .null,
            "maxPendingEvents": maxPendingEvents.map { JSONValue($0) } ?? .null,
            "storageDirectory": text(delivery.storageDirectory),
            "persistence": .string(delivery.persistence.rawValue),
            "durability": .string(delivery.durability.rawValue),
            "maxQueuedEvents": JSONValue(delivery.maxQueuedEvents),
            "maxQueuedBytes": JSONValue(delivery.maxQueuedBytes),
            "maxEventBytes": JSONValue(delivery.maxEventBytes), "eventTTLMs": milliseconds(delivery.eventTTL),
            "maxConcurrentRequests": JSONValue(delivery.maxConcurrentRequests),
            "requestTimeoutMs": milliseconds(delivery.requestTimeout),
            "compression": .string(delivery.compression.rawValue),
            "compressionThreshold": JSONValue(delivery.compressionThreshold),
            "retryDelayMs": milliseconds(delivery.retryDelay), "failureThreshold": JSONValue(delivery.failureThreshold),
            "cooldownMs": milliseconds(delivery.cooldown), "maxCooldownMs": milliseconds(delivery.maxCooldown),
            "jitter": JSONValue(delivery.jitter) ?? .null, "caBundle": text(delivery.caBundle),
            "proxy": text(delivery.proxy), "allowInsecureHTTP": .bool(delivery.allowInsecureHTTP),
        ]
    }
}
