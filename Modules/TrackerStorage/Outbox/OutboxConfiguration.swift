package import TrackerModels

package struct OutboxConfiguration: Sendable {
    package enum Location: Sendable {
        /// A folder, made with mode 0700 if it is missing.
        case folder(String)
        /// In memory, without any file. One outbox at a time may have it open.
        case memory(MemoryDatabase)
    }

    package var location: Location
    /// The lane that the outbox keeps.
    package var lane: LaneIdentity
    /// The prefix of the keys, such as `__GT_925_`.
    package var keyPrefix: String
    package var durability: DeliveryOptions.Durability
    /// How much the lane may hold.
    package var limits: OutboxLimits
    /// How much of what the server has refused is kept.
    package var refused = RefusedLimits()
    /// How long stored values last after they were written.
    package var expiration: Duration
    /// How long they last where no option says otherwise: as long as ``TrackerConfig/cookieExpiration`` does.
    package static let standardExpiration = Duration.seconds(TrackerConfig.default.cookieExpiration * 86_400)
    /// The consent of a tenant that has none stored; `nil` for lanes without consent.
    package var initialConsent: Consent?
    /// Whether records wait for a session before they can be sent.
    package var bindsSessions: Bool
    /// Lanes whose records move here when this one opens, besides those of the tenant that never had a session.
    package var takesOver: [LaneIdentity]
    /// The values that come along from these lanes: they replace those of the lane, also where there is none.
    package var takesOverValues: [StoredKey] = []
    /// The current run of the machine. What a process has written without a sync survives the process, but perhaps not
    /// a power cut.
    package var bootID: BootID
    package var wallClock: @Sendable () -> Timestamp
    /// Receives what happened without a call; called on the writer's queue.
    package var observer: @Sendable (OutboxEvent) -> Void
    /// Runs the completions of one transaction, so that a caller can gather their effects. It is called on the writer's
    /// queue, and must call its argument once before it returns.
    package var answering: @Sendable (_ completions: () -> Void) -> Void = { $0() }
    /// Looks at each record before it is queued; called on the writer's queue. If the transaction is rolled back, it
    /// looks again or never.
    package var inspect: (@Sendable (MessageID, Route, JSONText) -> Inspection)?
    /// Sees each record as it is queued, before its caller is answered; called on the writer's queue. If the transaction
    /// is rolled back, it sees the record again or never.
    package var onQueued: (@Sendable (MessageID, JSONText) -> Void)?

    /// Describes an outbox with the defaults of a session lane.
    package init(
        location: Location, lane: LaneIdentity, keyPrefix: String,
        durability: DeliveryOptions.Durability = DeliveryOptions().durability, limits: OutboxLimits = OutboxLimits(),
        expiration: Duration = OutboxConfiguration.standardExpiration,
        initialConsent: Consent? = nil, bindsSessions: Bool, takesOver: [LaneIdentity] = [],
        bootID: BootID = .current(),
        wallClock: @escaping @Sendable () -> Timestamp,
        observer: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        self.location = location
        self.lane = lane
        self.keyPrefix = keyPrefix
        self.durability = durability
        self.limits = limits
        self.expiration = expiration
        self.initialConsent = initialConsent
        self.bindsSessions = bindsSessions
        self.takesOver = takesOver
        self.bootID = bootID
        self.wallClock = wallClock
        self.observer = observer
    }
}

/// What is to become of a record that is about to be queued.
package enum Inspection: Hashable, Sendable {
    case pass
    /// It is queued with another body.
    case change(JSONText)
    /// It breaks the plan: it is refused, and kept apart with this text.
    case refuse(String)
}
