import TrackerCore
import TrackerModels

/// Everything that a session-based tracker can be asked for.
///
/// The native tracker and the bridged one both conform: the compiler proves that neither lacks a call of the other.
protocol TrackerSurface: Sendable {
    func initialize(brandId: String, config: TrackerConfig?) async throws
    func track(
        eventName: String, attributes: Properties?, metadata: Properties?, messageId: CallerKey?
    ) async -> TrackOutcome
    func identify(userId: String, profileData: Properties?, messageId: CallerKey?) async -> TrackOutcome
    func set(profileData: Properties, messageId: CallerKey?) async -> TrackOutcome
    func setMetadata(_ metadata: Properties, messageId: CallerKey?) async -> TrackOutcome
    func screen(name: String, properties: Properties?, messageId: CallerKey?) async -> TrackOutcome
    func screenDidAppear(
        name: String, url: String?, properties: Properties?, messageId: CallerKey?
    ) async -> TrackOutcome
    func updateLocation(_ location: LocationData, messageId: CallerKey?) async -> TrackOutcome
    func updateSessionEmail(_ email: String, messageId: CallerKey?) async -> TrackOutcome
    func linkSession(_ sourceSessionId: String, messageId: CallerKey?) async -> TrackOutcome
    func continueSession(from url: String, messageId: CallerKey?) async -> TrackOutcome
    func resetAndWait(all: Bool, messageId: CallerKey?) async -> TrackOutcome
    func setConsent(_ consent: Consent, messageId: CallerKey?) async -> TrackOutcome
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
