import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The lanes that the clients of one process share.
///
/// A process that serves many programs opens each lane once: one outbox, one writer, one engine and one loop, however many
/// clients use it. A lane goes on after its last client has left, until it is empty and nobody has come for a while. There is
/// a limit to the open lanes. Lanes in memory are not shared, and count as well.
package final class OpenLanes: Sendable {
    /// Names a lane on disk.
    struct Key: Hashable, Sendable {
        let folder: ExactString
        let lane: LaneIdentity

        /// - Returns: `nil` for a lane in memory.
        init?(_ settings: some ClientSettings) {
            guard let path = settings.delivery.folder else { return nil }
            folder = ExactString(path)
            lane = settings.lane
        }
    }

    private struct State {
        var lanes: [Key: SharedLane] = [:]
        var lanesInMemory = 0
        /// When the lanes whose retirement is timed were last left, each by the clock of its loop.
        var departures: [Key: MonotonicInstant] = [:]
        /// What the lanes that are closed have counted: the counters of a process never fall.
        var closed: [ClientName: QueueMetrics] = [:]
        /// Whether the process ends: no lane is kept for others.
        var isEnding = false

        mutating func keep(_ last: QueueMetrics, of name: ClientName) {
            let last = last.closed(forGood: isEnding)
            closed[name] = closed[name].map { $0 + last } ?? last
        }

        mutating func remove(_ key: Key) { (lanes[key], departures[key]) = (nil, nil) }
    }

    /// What becomes of a lane that may have been left.
    private enum Retirement {
        /// It is in use, or somebody else closes it.
        case isOff
        case wait(until: MonotonicInstant)
        /// It has been left for long enough.
        case isDue
    }

    /// How many lanes are open at a time unless the caller says otherwise: each is a thread and ten files.
    package static let usualLimit = 256
    /// How long a lane without clients stays open once it is empty, unless another one needs its place.
    private let patience: Duration
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - patience: How long a lane without clients stays open once it is empty.
    ///   - limit: How many lanes may be open at a time.
    package init(patience: Duration = .seconds(60), limit: Int = usualLimit) {
        self.patience = patience
        self.limit = limit
    }

    /// How many lanes are open, those in memory among them.
    package var count: Int { state.withLock { $0.lanes.count + $0.lanesInMemory } }

    /// The figures of every open lane, those that no client has among them, and what was counted by those that are closed.
    package var metrics: [(name: ClientName, metrics: ClientMetrics)] {
        let (lanes, closed) = state.withLock { ($0.lanes, $0.closed) }
        return lanes.map { (ClientName($0.lane.kind), ClientMetrics(lane: QueueMetrics($1.parts))) }
            + closed.map { ($0, ClientMetrics(lane: $1)) }
    }

    /// Keeps what a lane has counted that a client alone had, and closes.
    func keep(_ last: QueueMetrics, of name: ClientName) { state.withLock { $0.keep(last, of: name) } }

    /// Sends what can be sent within the time, then closes every lane.
    ///
    /// - Parameter completion: Called once every lane is closed; a disk that stalls makes it late.
    package func end(within timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let lanes = state.withLock { state in
            state.isEnding = true
            defer { (state.lanes, state.departures) = ([:], [:]) }
            return state.lanes
        }
        let missing = Atomic(lanes.count + 1)
        let end: @Sendable () -> Void = {
            if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
        }
        for (key, lane) in lanes {
            lane.end(within: timeout) { [self] in
                keep($0, of: ClientName(key.lane.kind))
            } completion: {
                end()
            }
        }
        end()
    }

    /// Joins a lane that is open, or makes one.
    ///
    /// - Parameter isReplacing: Whether the client leaves another lane for it.
    /// - Throws: Why the transport cannot start, or that there are as many lanes as there may be.
    func join(
        _ key: Key, _ dependencies: Dependencies, _ settings: some ClientSettings, _ listener: OpenLane.Listener,
        _ keyFile: KeyFile?, isReplacing: Bool,
        outbox: (@escaping @Sendable (OutboxEvent) -> Void) -> OutboxConfiguration
    ) throws(TrackerError) -> Membership {
        makeRoom(for: key)
        return try state.withLock { (state) throws(TrackerError) in
            let known = state.lanes[key]
            if known == nil { try checkRoom(state, isReplacing: isReplacing) }
            let lane =
                if let known { known } else {
                    try SharedLane(dependencies, settings, listener.name, outbox: outbox) { [weak self] lane, event in
                        self?.follow(event, in: lane, key)
                    }
                }
            if !state.isEnding { state.lanes[key] = lane }
            let member = AudienceMember(listener: listener, keyFile: keyFile, log: dependencies.sharing?.listener)
            return Membership(lane: lane, member: lane.add(member), isOpener: known == nil)
        }
    }

    /// Counts a lane in memory as long as the result is kept.
    ///
    /// - Parameter isReplacing: Whether the client leaves another lane for it.
    /// - Throws: That there are as many lanes as there may be.
    func place(isReplacing: Bool) throws(TrackerError) -> Reservation {
        makeRoom(for: nil)
        try state.withLock { (state) throws(TrackerError) in
            try checkRoom(state, isReplacing: isReplacing)
            state.lanesInMemory += 1
        }
        return Reservation { [weak self] in self?.state.withLock { $0.lanesInMemory -= 1 } }
    }

    private func checkRoom(_ state: State, isReplacing: Bool) throws(TrackerError) {
        // The lane that a client leaves may stay, for others or for what waits in it.
        let most = isReplacing ? 2 * limit : limit
        if state.lanes.count + state.lanesInMemory >= most { throw Self.isFull(limit) }
    }

    private static func isFull(_ limit: Int) -> TrackerError {
        var fault = TrackerError(
            .initializationFailed,
            "The agent has as many queues open as it may (--max-lanes \(limit)): programs use them, or something waits in "
                + "them. Try again later, or start it with a higher limit.")
        fault.isPassing = true
        return fault
    }

    /// Has lanes closed that nobody has and nothing waits in, each on its loop, if half of them are open and another one is
    /// to be.
    ///
    /// - Parameter key: The other one's; `nil` for a lane in memory.
    private func makeRoom(for key: Key?) {
        let left = state.withLock { state -> [(lane: SharedLane, key: Key)] in
            guard key.map({ state.lanes[$0] == nil }) ?? true, (state.lanes.count + state.lanesInMemory) * 2 >= limit
            else { return [] }
            return state.departures.keys.compactMap { key in state.lanes[key].map { ($0, key) } }
        }
        for (lane, key) in left { lane.parts.loop.post { [weak self] in self?.closeIfEmpty(lane, key) } }
    }

    private func closeIfEmpty(_ lane: SharedLane, _ key: Key) {
        let joins = lane.joins
        guard lane.isLeft, state.withLock({ $0.departures[key] }) != nil, lane.isEmpty else { return }
        let last = QueueMetrics(lane.parts)
        let isClosed = state.withLock { state in
            // Who has come and gone meanwhile may have left something in it.
            guard state.lanes[key] === lane, lane.isLeft, lane.joins == joins else { return false }
            state.remove(key)
            state.keep(last, of: ClientName(key.lane.kind))
            return true
        }
        if isClosed { lane.close { _ in } }
    }

    private func follow(_ event: SharedLane.Event, in lane: SharedLane, _ key: Key) {
        switch event {
        // Whoever comes next opens it anew.
        case .isUnusable:
            state.withLock { if $0.lanes[key] === lane { $0.remove(key) } }
            if lane.isLeft { close(lane, key) }
        case .isLeft: beginRetirement(of: lane, key)
        }
    }

    /// Closes a lane that nobody has once it is empty, or at once if nobody can come back to it.
    private func beginRetirement(of lane: SharedLane, _ key: Key) {
        let now = lane.parts.loop.now
        let (isOpen, isTimed) = state.withLock { state in
            guard state.lanes[key] === lane else { return (false, false) }
            defer { state.departures[key] = now }
            return (true, state.departures[key] != nil)
        }
        guard isOpen else {
            if lane.isLeft { close(lane, key) }
            return
        }
        // However often it is left, one timer waits for its end.
        if !isTimed { retire(lane, key, at: now.advanced(by: patience)) }
    }

    private func close(_ lane: SharedLane, _ key: Key) {
        lane.close { [self] in keep($0, of: ClientName(key.lane.kind)) }
    }

    private func retire(_ lane: SharedLane, _ key: Key, at due: MonotonicInstant) {
        lane.parts.loop.schedule(at: due) { [weak self] in self?.retire(lane, key) }
    }

    private func retire(_ lane: SharedLane, _ key: Key) {
        let (now, joins) = (lane.parts.loop.now, lane.joins)
        switch state.withLock({ retirement(of: lane, key, at: now, &$0) }) {
        case .isOff: return
        case .wait(let due): return retire(lane, key, at: due)
        case .isDue: break
        }
        guard lane.isEmpty else { return retire(lane, key, at: now.advanced(by: patience)) }
        let last = QueueMetrics(lane.parts)
        let next = state.withLock { state in
            var next = retirement(of: lane, key, at: now, &state)
            if case .isDue = next {
                guard lane.joins == joins else {
                    next = .wait(until: now.advanced(by: patience))
                    return next
                }
                state.remove(key)
                state.keep(last, of: ClientName(key.lane.kind))
            }
            return next
        }
        switch next {
        case .isOff: break
        case .wait(let due): retire(lane, key, at: due)
        case .isDue: lane.close { _ in }
        }
    }

    /// A client may have come or gone meanwhile: it joins under the registry's lock.
    private func retirement(
        of lane: SharedLane, _ key: Key, at now: MonotonicInstant, _ state: inout State
    ) -> Retirement {
        guard state.lanes[key] === lane, let departure = state.departures[key] else { return .isOff }
        guard lane.isLeft else {
            state.departures[key] = nil
            return .isOff
        }
        let due = departure.advanced(by: patience)
        return now < due ? .wait(until: due) : .isDue
    }
}

/// How the clients of a process share their lanes.
package struct ClientSharing: Sendable {
    let registry: OpenLanes
    /// Where the process itself logs what happens to a lane.
    let log: any TrackerLog
    /// Where a client logs what happens to a lane that it shares.
    let listener: any TrackerLog

    package init(_ registry: OpenLanes, log: any TrackerLog, listener: any TrackerLog) {
        self.registry = registry
        self.log = log
        self.listener = listener
    }
}

/// A client's share in a lane.
struct Membership: Sendable {
    let lane: SharedLane
    let member: Int
    let isOpener: Bool
}
