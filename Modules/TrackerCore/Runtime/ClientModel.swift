import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What makes one kind of client: its settings, its policy, and how its calls become records.
///
/// A model is a value. ``ClientRuntime`` keeps it behind its lock and asks it for one call at a time, in the order of the
/// calls, so a model remembers exactly what the earlier calls left.
protocol ClientModel: Sendable {
    /// What `initialize` was given, checked.
    associatedtype Settings: ClientSettings
    /// A call as the program makes it.
    associatedtype Given: FilterableCall where Given.Checked == Call
    /// A call that has been checked.
    associatedtype Call: Sendable

    /// What the log calls the client.
    static var name: String { get }
    static var policy: ClientPolicy { get }

    /// What a call changes in its lane.
    ///
    /// - Throws: Why the call is refused. A refused call must not change the model.
    mutating func change(for call: Call, _ stamp: CallStamp, under settings: Settings) throws(Refusal) -> LaneChange

    /// Forgets the user: the client is shut down.
    mutating func forget()

    /// Adds the client's own members to a debug info, and says in its own words where the client stands.
    static func describe(_ snapshot: ClientSnapshot<Self>, in info: inout JSONObject)

    mutating func opened(_ found: LaneState) -> [ModelEffect<Given>]

    /// Delivery has begun. The callers of `initialize` are answered after this.
    mutating func started(under settings: Settings) -> [ModelEffect<Given>]

    /// Whether the model asks for what is on disk.
    static var followsCommits: Bool { get }

    /// Whether the model remembers something of a call for later ones, which a refusal takes back.
    static func isNoted(_ call: Call) -> Bool

    /// What begins the sentence about a call that waits, for those who want details; `nil`: there is none.
    static var pendingNote: String? { get }

    /// A call is on disk. Its caller is answered after this.
    ///
    /// - Parameters:
    ///   - call: Its number.
    ///   - session: The lane's session then.
    ///   - generation: The generation that it is of.
    mutating func committed(
        _ call: Int, in session: SessionID?, of generation: Generation
    ) -> [ModelEffect<Given>]

    /// The outbox has refused a call of which the model remembers something, or will. Its caller is answered after this.
    mutating func refused(_ call: Int, _ messageID: MessageID)

    mutating func observed(_ event: DeliveryEvent) -> [ModelEffect<Given>]

    /// About how many bytes a call takes in memory.
    static func weight(of call: Call) -> Int

    /// The key of a call whose caller chose none.
    static func messageID(at time: Timestamp, _ ids: any IDGenerator) -> MessageID
}

extension ClientModel {
    mutating func forget() {}
    func opened(_: LaneState) -> [ModelEffect<Given>] { [] }
    func started(under _: Settings) -> [ModelEffect<Given>] { [] }
    static var followsCommits: Bool { false }
    static func isNoted(_: Call) -> Bool { false }
    static var pendingNote: String? { nil }
    func committed(_: Int, in _: SessionID?, of _: Generation) -> [ModelEffect<Given>] { [] }
    func refused(_: Int, _: MessageID) {}
    func observed(_: DeliveryEvent) -> [ModelEffect<Given>] { [] }
    static func weight(of _: Call) -> Int { 256 }
    static func messageID(at _: Timestamp, _ ids: any IDGenerator) -> MessageID { ids.messageID() }
}

/// Something that a model wants done after what has happened.
enum ModelEffect<Given: Sendable>: Sendable {
    case report(Diagnostic)
    case call(Given)
    /// Ask for the device's place, and make a call of the answer.
    case locate(any LocationProvider, @Sendable (LocationData) -> Given)
    /// Send nothing by itself from now on, or again.
    case setInBackground(Bool)
    case makeDue(through: Int64)
}

/// The settings of a client: which lane it uses, and how the lane is opened and delivered.
protocol ClientSettings: Sendable {
    var delivery: DeliveryOptions { get }
    var base: BaseURL { get }
    /// The key that its requests carry.
    var key: Secret { get set }
    /// What every request carries besides.
    var headers: ExtraHeaders { get set }
    /// Why a program's header fields cannot be used by this client, beyond what holds for all; `nil` if they can.
    func fault(of headers: ExtraHeaders) -> String?
    /// Gives the key and the headers, if the program has such a function.
    var credentials: CredentialsProvider? { get }
    /// What the collector's page calls the client.
    var title: String { get }
    var lane: LaneIdentity { get }
    var keyPrefix: String { get }
    var limits: OutboxLimits { get }
    /// How long stored values last.
    var expiration: Duration { get }
    /// The consent of a brand that has none stored; `nil` for clients without consent.
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
    func fault(of _: ExtraHeaders) -> String? { nil }
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

/// What new settings do to a client that runs.
enum Succession: Hashable, Sendable {
    /// The client keeps its settings. A warning says so if these are others.
    case ignored(hasOthers: Bool)
    /// The lane stays open and is delivered by the new settings.
    case updates
    /// The lane is closed and the one of the new settings opened.
    case replaces
}

/// What a client does where clients differ.
struct ClientPolicy: Sendable {
    /// What becomes of a call before `initialize` is called.
    enum BeforeInitialize: Sendable {
        /// It is refused as not initialised.
        case refuses
        /// It waits in memory for the next `initialize`; past these bounds the oldest is refused.
        case holds(calls: Int, bytes: Int)
    }

    /// What becomes of the client when settings are not valid, or a lane cannot be opened.
    enum AfterFailure: Sendable {
        /// Settings that are not valid change nothing. A lane that cannot be opened refuses its calls as `storage`.
        case keeps
        /// It is not initialised, unless it runs and only the new settings are at fault.
        case isIdle
        /// It is disabled until it is initialised again or reset, unless it runs and only the new settings are at fault.
        case isDisabled
    }

    /// When what is queued moves to another lane of the same client.
    enum MovesQueue: Sendable {
        case never
        /// Once the server has refused the key or the address: the lane is named by what was wrong.
        case afterHalt
        case always
    }

    var beforeInitialize = BeforeInitialize.refuses
    var afterFailure = AfterFailure.keeps
    /// When what is queued moves along as `initialize` names another lane.
    var movesQueue = MovesQueue.never
    /// What a lane in memory hands on to the next run of the same lane, in this order.
    var values: [StoredKey] = []
    /// Whether a reset ends the run: the lane is closed, and the client waits for `initialize`.
    var resetEndsRun = false
    /// The code of the error that `initialize` ends with when the client is shut down meanwhile.
    var shutdownCode = TrackerError.Code.initializationFailed
}

/// The last 10,000 ids that were inserted, as many as an outbox remembers.
struct RecentIDs: Sendable {
    private static let limit = 10_000

    private var ids: Set<MessageID> = []
    private var ring: [MessageID] = []
    private var next = 0

    func contains(_ id: MessageID) -> Bool { ids.contains(id) }

    mutating func insert(_ id: MessageID) {
        guard ids.insert(id).inserted else { return }
        if ring.count < Self.limit { return ring.append(id) }
        ids.remove(ring[next])
        ring[next] = id
        next = (next + 1) % Self.limit
    }

    /// Takes an id back. Its place stays taken.
    mutating func remove(_ id: MessageID) { ids.remove(id) }
}
