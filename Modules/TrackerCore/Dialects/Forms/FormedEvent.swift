import TrackerModels

/// What one record says in a request: one event or several, all to the same path.
struct FormedEvent: Hashable, Sendable {
    var path: String
    var events: [JSONText]

    /// How many bytes they take, each with its comma.
    var byteCount: Int { events.reduce(0) { $0 + $1.byteCount + 1 } }
}
