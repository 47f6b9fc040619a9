import TrackerModels

/// An `initialize` with what it was given, checked.
struct Initialization<Model: ClientModel>: Sendable {
    var settings: Result<Model.Settings, TrackerError>
    /// Whether a client that runs goes on with these settings, whatever it has.
    var takesAll = false
    /// Applied to the model unless the client ignores the settings.
    var updateModel: @Sendable (inout Model) -> Void = { _ in }
    /// Called before `completion` if the client goes on with the settings of another one.
    var whenIgnored: @Sendable () -> Void = {}
    var completion: @Sendable (Result<Void, TrackerError>) -> Void

    /// An `initialize` that has the client do nothing: its settings are not looked at.
    struct Off: Sendable {
        var switchedBy: OffSwitch
        var updateModel: @Sendable (inout Model) -> Void
        var completion: @Sendable (Result<Void, TrackerError>) -> Void
    }
}
