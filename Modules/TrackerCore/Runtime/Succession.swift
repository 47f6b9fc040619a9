import TrackerModels

/// What new settings do to a client that runs.
enum Succession: Hashable, Sendable {
    /// The client keeps its settings. A warning says so if these are others.
    case ignored(hasOthers: Bool)
    /// The lane stays open and is delivered by the new settings.
    case updates
    /// The lane is closed and the one of the new settings opened.
    case replaces
}
