import TrackerCore
import TrackerModels

/// One thing that happens in a scenario.
enum ParityStep: Sendable {
    /// The backend's next answers, but for those to session creations; then it is well again.
    case answers([ParityAnswer])
    case initialize(brandId: String, change: @Sendable (inout TrackerConfig) -> Void)
    case track(String, JSONObject?, JSONObject?, MessageID?)
    case identify(String, JSONObject?)
    case set(JSONObject, MessageID?)
    case setMetadata(JSONObject)
    case screen(String, JSONObject?)
    case screenDidAppear(String, String?, JSONObject?)
    case location(LocationData)
    case email(String)
    case link(String)
    case continueSession(String)
    case crossDomainURL(String)
    case reset(all: Bool)
    case consent(Consent, MessageID?)
    case networkDidChange
    /// Reads every stored value.
    case values
    /// Reads how things stand.
    case debugInfo
    /// Waits until nothing more can be sent.
    case settle
    /// Waits until there is a session.
    case awaitSession
    /// Ends the tracker, and goes on with another on the same state.
    case restart
}

/// What the backend says.
enum ParityAnswer: Hashable, Sendable {
    case status(Int)
    /// 200, naming a session.
    case session(String)
}
