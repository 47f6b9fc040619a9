import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The lanes that the clients of one process share.
///
/// A process that serves many programs opens each lane once: one outbox, one writer, one engine and one loop, however many
/// clients use it. A lane goes on after its last client has left, until it is empty and nobody has come for a while.
/// Lanes in memory are not shared.
package final class LaneRegistry: Sendable {
    /// Names a lane on disk.
    struct Key: Hashable, Sendable {
        let folder: String
        let lane: LaneIdentity

        /// - Returns: `nil` for a lane in memory.
        init?(_ settings: some ClientSettings) {
            guard case .folder(let path) = settings.delivery.location else { return nil }
            folder = path
            lane = settings.lane
        }
    }

    private struct State {
        var lanes: [Key: SharedLane] = [:]
        /// Whether the process ends: lanes are closed as soon as they are left.
        var isEnding = false
    }

    /// How long a lane without clients stays open once it is empty.
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: How long a lane without clients stays open once it is empty.
    package init(patience: Duration = .seconds(60)) { self.patience = patience }

    /// How many lanes are open.
    package var count: Int { state.withLock { $0.lanes.count } }

    /// The figures of every open lane, those that no client has among them.
    package var metrics: [(name: ClientName, metrics: ClientMetrics)] {
        let lanes = state.withLock(\.lanes)
        return lanes.map { (ClientName($0.lane.kind), ClientMetrics(lane: LaneMetrics($1.parts))) }
    }

    /// Sends what can be sent within the time, then closes every lane.
    ///
    /// - Parameter completion: Called once every lane is closed; a disk that stalls makes it late.
    package func end(within timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let lanes = state.withLock { state in
            state.isEnding = true
            defer { state.lanes = [:] }
            return Array(state.lanes.values)
        }
        let missing = Atomic(lanes.count + 1)
        let end: @Sendable () -> Void = {
            if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
        }
        for lane in lanes { lane.parts.end(within: timeout, look: { _ in }, completion: end) }
        end()
    }

    /// Joins a lane that is open, or makes one.
    func join(
        _ key: Key, _ dependencies: Dependencies, _ settings: some ClientSettings, _ listener: OpenLane.Listener,
        _ keyFile: KeyFile?, outbox: (@escaping @Sendable (OutboxEvent) -> Void) -> OutboxConfiguration
    ) throws(TrackerError) -> LaneShare {
        try state.withLock { (state) throws(TrackerError) in
            let known = state.lanes[key]
            let lane =
                if let known { known } else {
                    try SharedLane(dependencies, settings, listener.name, outbox: outbox) { [weak self] lane, event in
                        self?.follow(event, in: lane, key)
                    }
                }
            if !state.isEnding { state.lanes[key] = lane }
            let member = LaneMember(
                listener: listener, keyFile: keyFile, log: dependencies.sharing?.listener, isVerbose: settings.isVerbose
            )
            return LaneShare(lane: lane, member: lane.add(member), isOpener: known == nil)
        }
    }

    private func follow(_ event: SharedLane.Event, in lane: SharedLane, _ key: Key) {
        switch event {
        // Whoever comes next opens it anew.
        case .isUnusable: remove(lane, key)
        case .isLeft: retire(lane, key)
        }
    }

    private func remove(_ lane: SharedLane, _ key: Key) {
        state.withLock { if $0.lanes[key] === lane { $0.lanes[key] = nil } }
    }

    /// Closes a lane that nobody has once it is empty.
    private func retire(_ lane: SharedLane, _ key: Key) {
        let loop = lane.parts.loop
        loop.schedule(at: loop.now.advanced(by: patience)) { [weak self] in
            guard let self, lane.isLeft else { return }
            guard lane.isEmpty else { return retire(lane, key) }
            let isFree = state.withLock { state in
                // A client may have come meanwhile: it joins under this lock.
                guard lane.isLeft else { return false }
                if state.lanes[key] === lane { state.lanes[key] = nil }
                return true
            }
            if isFree { lane.parts.close(within: OpenLane.patience) {} }
        }
    }
}

/// How the clients of a process share their lanes.
package struct LaneSharing: Sendable {
    let registry: LaneRegistry
    /// Where the process itself logs what happens to a lane.
    let log: any TrackerLog
    /// Where a client logs what happens to a lane that it shares.
    let listener: any TrackerLog

    package init(_ registry: LaneRegistry, log: any TrackerLog, listener: any TrackerLog) {
        self.registry = registry
        self.log = log
        self.listener = listener
    }
}

/// A client's share in a lane.
struct LaneShare: Sendable {
    let lane: SharedLane
    let member: Int
    let isOpener: Bool

    var isLeading: Bool { lane.isLeading(member) }

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        lane.open(completion: completion)
    }

    func makeFirstSession(
        _ settings: some ClientSettings, ids: any IDGenerator,
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        lane.makeFirstSession(for: member, settings, ids, completion: completion)
    }

    func start(_ settings: some ClientSettings, ids: any IDGenerator) -> Bool { lane.start(member, settings, ids) }

    func lead(_ settings: some ClientSettings) { lane.lead(member, settings) }

    func goWithoutSession() { lane.goWithoutSession(member) }

    func setInBackground(_ isInBackground: Bool) { lane.setInBackground(member, isInBackground) }

    func leave(_ completion: @escaping @Sendable () -> Void) { lane.leave(member, completion) }
}
