import TrackerCore
import TrackerModels

/// Everything that a session-based tracker can be asked for.
///
/// The native tracker and the bridged one both conform: the compiler proves that neither lacks a call of the other.
protocol TrackerSurface: Sendable {
    func initialize(brandId: String, config: TrackerConfig?) async throws
    func track(
        eventName: String, attributes: JSONObject?, metadata: JSONObject?, messageId: MessageID?
    ) async -> TrackOutcome
    func identify(userId: String, profileData: JSONObject?, messageId: MessageID?) async -> TrackOutcome
    func set(profileData: JSONObject, messageId: MessageID?) async -> TrackOutcome
    func setMetadata(_ metadata: JSONObject, messageId: MessageID?) async -> TrackOutcome
    func screen(name: String, properties: JSONObject?, messageId: MessageID?) async -> TrackOutcome
    func screenDidAppear(
        name: String, url: String?, properties: JSONObject?, messageId: MessageID?
    ) async -> TrackOutcome
    func updateLocation(_ location: LocationData, messageId: MessageID?) async -> TrackOutcome
    func updateSessionEmail(_ email: String, messageId: MessageID?) async -> TrackOutcome
    func linkSession(_ sourceSessionId: String, messageId: MessageID?) async -> TrackOutcome
    func continueSession(from url: String, messageId: MessageID?) async -> TrackOutcome
    func reset(all: Bool, messageId: MessageID?) async
    func setConsent(_ consent: Consent, messageId: MessageID?) async
    func flush(timeout: Duration) async -> FlushReport
    func shutdown(timeout: Duration) async
    func networkDidChange() async
    func crossDomainURL(for url: String) async -> String
    func debugInfo() async -> JSONObject
    var isTrackingAllowed: Bool { get async }
    var sessionId: String? { get async }
    var deviceId: String? { get async }
    var sessionEmail: String? { get async }
    var brandId: String? { get async }
}

extension MobileTracker: TrackerSurface {}
