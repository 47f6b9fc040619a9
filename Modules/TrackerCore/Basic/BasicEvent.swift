import TrackerModels

/// The user that events are from, since the last `identify`.
struct BasicUser: Hashable, Sendable {
    var userId: String
    var traits: JSONText?
}

/// The last 10,000 ids that were noted, as many as an outbox remembers.
struct RecentIDs: Sendable {
    private static let limit = 10_000

    private var ids: Set<MessageID> = []
    private var ring: [MessageID] = []
    private var next = 0

    func contains(_ id: MessageID) -> Bool { ids.contains(id) }

    /// Notes an id; the oldest one goes.
    mutating func insert(_ id: MessageID) {
        guard ids.insert(id).inserted else { return }
        if ring.count < Self.limit { return ring.append(id) }
        ids.remove(ring[next])
        ring[next] = id
        next = (next + 1) % Self.limit
    }
}

/// What every event tells of its dependencies.
struct BasicContext: Hashable, Sendable {
    /// `ios`, `ipados`, `macos`, `linux`, `windows` or `android`.
    var platform: String
    var osVersion: String
    var appVersion: String?

    /// This machine's.
    static func collect(appVersion: String?) -> BasicContext {
        BasicContext(
            platform: SystemDescription.osName.lowercased(), osVersion: SystemDescription.osVersion,
            appVersion: appVersion)
    }

    var text: JSONText {
        var context = JSONObjectWriter()
        context.append("platform", platform)
        context.append("osVersion", osVersion)
        if let appVersion { context.append("appVersion", appVersion) }
        return context.finish()
    }
}

/// Writes calls as the events of the basic wire; what is absent is left out.
enum BasicEvent {
    /// The event of a call.
    ///
    /// - Parameters:
    ///   - values: What the call was given, checked.
    ///   - user: The user, with what the call itself changes.
    ///   - time: When the call was made.
    static func body(
        of call: BasicCall, _ values: JSONText?, from user: BasicUser?, context: JSONText, at time: Timestamp
    ) -> JSONText {
        var event = JSONObjectWriter(reservingCapacity: 512)
        var properties = values
        switch call {
        case .track(let name, _):
            event.append("type", "track")
            event.append("name", name)
        case .screen(let name, _):
            event.append("type", "screen")
            event.append("name", name)
        case .identify:
            event.append("type", "identify")
            properties = nil
        }
        if let user {
            event.append("userId", user.userId)
            if let traits = user.traits { event.append("traits", traits) }
        }
        if let properties { event.append("properties", properties) }
        event.append("context", context)
        event.append("timestamp", time.description)
        return event.finish()
    }
}
