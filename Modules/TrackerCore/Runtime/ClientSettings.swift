import TrackerModels
import TrackerStorage

/// The settings of a client: which lane it uses, and how the lane is opened and delivered.
protocol ClientSettings: Sendable {
    var delivery: DeliveryOptions { get }
    var base: BaseURL { get }
    /// The key that its requests carry.
    var key: Secret { get set }
    /// What every request carries besides.
    var headers: ExtraHeaders { get set }
    /// Why a program's header fields cannot be used by this client, beyond what holds for all; `nil` if they can.
    func fault(of headers: ExtraHeaders) -> OptionFault.Reason?
    /// Gives the key and the headers, if the program has such a function.
    var credentials: CredentialsProvider? { get }
    /// What the collector's page calls the client.
    var title: String { get }
    var lane: LaneIdentity { get }
    var keyPrefix: String { get }
    var limits: OutboxLimits { get }
    /// How long stored values last.
    var expiration: Duration { get }
    /// The consent of a tenant that has none stored; `nil` for clients without consent.
    var initialConsent: Consent? { get }
    /// Whether records wait for a session before they can be sent.
    var bindsSessions: Bool { get }
    var isVerbose: Bool { get }
    /// How long `initialize` may take; `nil`: without limit.
    var openingTimeout: Duration? { get }
    var isFolderFromEnvironment: Bool { get }
    /// What else of the options decides how the lane is delivered, as clients that share it can compare it.
    var laneOptions: [String] { get }
    var beforeSend: BeforeSend? { get }

    func dialect(ids: any IDGenerator) -> any Dialect

    /// The changes that a lane gets before the first call, each time it is opened.
    func openingChanges(ids: any IDGenerator) -> [LaneChange]

    /// Whether `initialize` makes a session before it is done.
    func needsSession(_ found: LaneState) -> Bool

    /// What `initialize` does with these settings in a client that runs with others.
    ///
    /// - Throws: Why they cannot replace the current ones; the client then goes on unchanged.
    func succession(to current: Self) throws(TrackerError) -> Succession
}

extension ClientSettings {
    /// Whether requests of the same lane go out as by other settings.
    func sends(like other: Self) -> Bool {
        key == other.key && headers == other.headers && delivery == other.delivery
            && laneOptions == other.laneOptions
    }

    var keyPrefix: String { lane.keyPrefix }
    var expiration: Duration { OutboxConfiguration.standardExpiration }
    var initialConsent: Consent? { nil }
    var bindsSessions: Bool { false }
    var openingTimeout: Duration? { nil }
    var isFolderFromEnvironment: Bool { false }
    var laneOptions: [String] { [] }
    var beforeSend: BeforeSend? { nil }
    var credentials: CredentialsProvider? { nil }
    func fault(of _: ExtraHeaders) -> OptionFault.Reason? { nil }
    func needsSession(_: LaneState) -> Bool { false }
    func openingChanges(ids _: any IDGenerator) -> [LaneChange] { [] }

    /// How the lane's outbox is opened.
    ///
    /// - Parameters:
    ///   - memory: Where it is if it is kept in memory.
    ///   - other: Another lane, whose records move here.
    func outbox(
        in memory: MemoryDatabase, takingOver other: LaneIdentity?, clock: any TrackerClock,
        observer: @escaping @Sendable (OutboxEvent) -> Void
    ) -> OutboxConfiguration {
        var configuration = OutboxConfiguration(
            location: delivery.folder.map { .folder($0) } ?? .memory(memory), lane: lane, keyPrefix: keyPrefix,
            durability: delivery.durability,
            limits: limits, expiration: expiration, initialConsent: initialConsent, bindsSessions: bindsSessions,
            takesOver: [other].compactMap { $0 == lane ? nil : $0 }, wallClock: { clock.wall }, observer: observer)
        configuration.refused = RefusedLimits(delivery)
        return configuration
    }
}

extension LaneIdentity {
    /// What the names of the values begin with that a client keeps.
    var keyPrefix: String {
        switch kind {
        case .session: "__GT_\(owner)_"
        case .batch: "__GT_analytics_"
        case .endpoint: "__GT_basic_"
        }
    }
}
