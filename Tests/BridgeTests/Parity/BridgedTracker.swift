import TestSupport
import TrackerCore
import TrackerModels

/// The tracker as a client of the host sees it: every call crosses the bridge.
final class BridgedTracker: TrackerSurface {
    private let bridge: BridgedCalls

    init() throws {
        bridge = BridgedCalls(try BridgeClient())
    }

    func initialize(brandId: String, config: TrackerConfig?) async throws {
        let params: JSONValue = ["brandId": .string(brandId), "config": config.map { .object($0.json) } ?? .null]
        try await bridge.attempt("init", params)
    }

    func track(
        eventName: String, attributes: Properties?, metadata: Properties?, messageId: CallerKey?
    ) async -> TrackOutcome {
        await outcome(
            "track", ["eventName": .string(eventName), "attributes": .of(attributes), "metadata": .of(metadata)],
            messageId)
    }

    func identify(userId: String, profileData: Properties?, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("identify", ["userId": .string(userId), "profileData": .of(profileData)], messageId)
    }

    func set(profileData: Properties, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("set", ["profileData": .of(profileData)], messageId)
    }

    func setMetadata(_ metadata: Properties, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("setMetadata", ["metadata": .of(metadata)], messageId)
    }

    func screen(name: String, properties: Properties?, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("screen", ["name": .string(name), "properties": .of(properties)], messageId)
    }

    func screenDidAppear(
        name: String, url: String?, properties: Properties?, messageId: CallerKey?
    ) async -> TrackOutcome {
        await outcome(
            "screenDidAppear",
            ["name": .string(name), "url": url.map { .string($0) } ?? .null, "properties": .of(properties)], messageId)
    }

    func updateLocation(_ location: LocationData, messageId: CallerKey?) async -> TrackOutcome {
        await outcome(
            "updateLocation",
            [
                "latitude": JSONValue(location.latitude), "longitude": JSONValue(location.longitude),
                "accuracy": JSONValue(location.accuracy),
            ], messageId)
    }

    func updateSessionEmail(_ email: String, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("updateSessionEmail", ["email": .string(email)], messageId)
    }

    func linkSession(_ sourceSessionId: String, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("linkSession", ["sourceSessionId": .string(sourceSessionId)], messageId)
    }

    func continueSession(from url: String, messageId: CallerKey?) async -> TrackOutcome {
        await outcome("continueSession", ["url": .string(url)], messageId)
    }

    func resetAndWait(all: Bool, messageId: CallerKey?) async -> TrackOutcome {
        await bridge.ask("reset", ["all": .bool(all), "messageId": .of(messageId?.messageID?.text)])
        return .answered(messageId)
    }

    func setConsent(_ consent: Consent, messageId: CallerKey?) async -> TrackOutcome {
        await bridge.ask(
            "setConsent", ["consent": .string(consent.rawValue), "messageId": .of(messageId?.messageID?.text)])
        return .answered(messageId)
    }

    func flush(timeout: Duration) async -> FlushReport {
        FlushReport(await bridge.ask("flush", [.of(timeout)]))
    }

    func shutdown(timeout: Duration) async {
        await bridge.end()
    }

    func networkDidChange() async { await bridge.ask("networkDidChange") }

    func crossDomainURL(for url: String) async -> String {
        await bridge.ask("getCrossDomainUrl", [.string(url)])["url"]?.stringValue ?? ""
    }

    func debugInfo() async -> JSONObject { await bridge.ask("getDebugInfo").objectValue ?? [:] }

    var isTrackingAllowed: Bool {
        get async { await bridge.ask("isTrackingAllowed")["allowed"]?.boolValue ?? false }
    }

    var sessionId: String? { get async { await bridge.ask("getSessionId")["sessionId"]?.stringValue } }
    var deviceId: String? { get async { await bridge.ask("getDeviceId")["deviceId"]?.stringValue } }
    var sessionEmail: String? { get async { await bridge.ask("getSessionEmail")["sessionEmail"]?.stringValue } }
    var brandId: String? { get async { await bridge.ask("getBrandId")["brandId"]?.stringValue } }

    private func outcome(_ method: String, _ params: JSONObject, _ messageID: CallerKey?) async -> TrackOutcome {
        await bridge.outcome(method, params, messageID)
    }
}

extension TrackerConfig {
    /// The configuration as it crosses the bridge: every key.
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "debug": .bool(debug), "apiUrl": .of(apiUrl), "xApiKey": .of(xApiKey),
            "crossSiteCookie": .bool(crossSiteCookie), "cookieDomain": .of(cookieDomain),
            "cookieExpiration": JSONValue(cookieExpiration), "sessionCreation": .string(sessionCreation.rawValue),
            "initTimeoutMs": .of(initTimeout), "consent": .string(consent.rawValue),
            "device": ["osName": .of(device.osName), "deviceType": .of(device.deviceType)],
            "initialScreen": initialScreen.map { ["name": .string($0.name), "url": .of($0.url)] } ?? .null,
            "maxPendingEvents": maxPendingEvents.map { JSONValue($0) } ?? .null,
        ]
        json.merge(delivery.json)
        return json
    }
}
