import Synchronization
import TrackerModels

/// What the disk has refused of the lanes of one tenant in one folder, in its order.
///
/// All outboxes of this process on that folder and tenant share the log, and it outlives them: what one of them could not
/// write the next one writes first. Until then reads show it, and nothing is sent against it.
final class UnwrittenLog: Sendable {
    /// What the outboxes of the tenant are told.
    enum Notice: Sendable {
        /// A reset or a consent waits for the disk.
        case waits
        /// Nothing waits any more.
        case isWritten
    }

    struct Entry: Sendable {
        fileprivate let number: Int
        let lane: LaneIdentity
        let change: LaneChange
        /// The database in which it was decided, if it counts in that one alone.
        let database: DatabaseID?
        /// The generation on disk that the first of the lane's changes found.
        let base: Generation

        /// Whether it still applies when the lane has this generation on disk. If another process has begun it, bindings
        /// of generations that only memory knew are void.
        func applies(at generation: Generation) -> Bool {
            guard generation != base else { return true }
            return switch change {
            case .bind(let bound, _), .bindMade(let bound, _), .identify(let bound, _), .store(_, _, let bound?):
                bound <= base
            default: true
            }
        }
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber = 0
        /// How often everything has come to be on disk.
        var emptyings = 0
        var listeners: [ObjectIdentifier: @Sendable (Notice) -> Void] = [:]
    }

    private struct Place: Hashable {
        var folder: String
        var tenant: String
    }

    /// A log as long as an outbox uses it, or something is in it.
    private struct Known {
        weak var log: UnwrittenLog?
        var kept: UnwrittenLog?
    }

    private static let known = Mutex<[Place: Known]>([:])

    private let place: Place?
    private let state = Mutex(State())

    private init(_ place: Place?) { self.place = place }

    /// The log of a lane's tenant.
    ///
    /// - Parameter folder: Where the tenant's state is; `nil` for a state in memory, which nobody shares.
    static func log(of lane: LaneIdentity, in folder: StateFolder?) -> UnwrittenLog {
        guard let folder else { return UnwrittenLog(nil) }
        let place = Place(folder: folder.resolvedPath, tenant: lane.tenantFileName)
        return known.withLock { known in
            if let log = known[place]?.log { return log }
            known = known.filter { $0.value.log != nil }
            let log = UnwrittenLog(place)
            known[place] = Known(log: log)
            return log
        }
    }

    /// Whether everything is on disk.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The number of the last change that was kept.
    var lastNumber: Int { state.withLock(\.lastNumber) }

    /// How often everything has come to be on disk.
    var emptyings: Int { state.withLock(\.emptyings) }

    /// Whether something waits that was kept up to a number, or is of another lane.
    func isWaiting(through number: Int, orBesides lane: LaneIdentity) -> Bool {
        state.withLock { $0.entries.contains { $0.number <= number || $0.lane != lane } }
    }

    /// What readers of a lane must know.
    func changes(of lane: LaneIdentity) -> UnwrittenChanges {
        state.withLock { UnwrittenChanges($0.entries, of: lane) }
    }

    /// The first changes, as far as they are those of one lane, and were all kept up to a number or all after it.
    func first(splitAfter number: Int) -> (lane: LaneIdentity, isLater: Bool, entries: [Entry])? {
        state.withLock { state in
            state.entries.first.map { first in
                let isLater = first.number > number
                return (
                    first.lane, isLater,
                    Array(state.entries.prefix { $0.lane == first.lane && ($0.number > number) == isLater })
                )
            }
        }
    }

    /// Tells an outbox what happens to the log, until it leaves.
    func join(_ listener: AnyObject, _ body: @escaping @Sendable (Notice) -> Void) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = body }
    }

    /// Tells an outbox nothing more.
    func leave(_ listener: AnyObject) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = nil }
    }

    /// Keeps a change that the disk has refused, unless it is of a kind that a refusal ends.
    ///
    /// - Parameters:
    ///   - database: The database in which it was decided, if it counts in that one alone.
    ///   - disk: The lane as it was last known to be on disk.
    func keep(_ change: LaneChange, of lane: LaneIdentity, in database: DatabaseID? = nil, over disk: LaneState) {
        let listeners = state.withLock { state in
            let earlier = UnwrittenChanges(state.entries, of: lane)
            guard var change = earlier.kept(change, over: disk) else { return [(@Sendable (Notice) -> Void)]() }
            let base = state.entries.first { $0.lane == lane }?.base ?? disk.generation
            switch change {
            case .store(let key, _, let generation) where !earlier.isAwaitingDisk:
                state.entries.removeAll { entry in
                    if entry.lane == lane, case .store(key, _, generation) = entry.change { true } else { false }
                }
            case .delivered(let records, let bytes):
                // An outage of the disk can last for thousands of them.
                guard let last = state.entries.last, last.lane == lane, last.database == database,
                    case .delivered(let old, let sum) = last.change
                else { break }
                let total = WireBytes(before: sum.before + bytes.before, after: sum.after + bytes.after)
                change = .delivered(old + records, bytes: total)
                state.entries.removeLast()
            default: break
            }
            state.lastNumber += 1
            state.entries.append(
                Entry(number: state.lastNumber, lane: lane, change: change, database: database, base: base))
            keepAlive(true)
            return change.traits.contains(.awaitsDisk) ? Array(state.listeners.values) : []
        }
        for listener in listeners { listener(.waits) }
    }

    /// Removes what is on disk by now.
    func remove(_ written: [Entry]) {
        let numbers = Set(written.map(\.number))
        let listeners = state.withLock { state in
            state.entries.removeAll { numbers.contains($0.number) }
            guard state.entries.isEmpty else { return [(@Sendable (Notice) -> Void)]() }
            state.emptyings += 1
            keepAlive(false)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(.isWritten) }
    }

    private func keepAlive(_ isKept: Bool) {
        guard let place else { return }
        Self.known.withLock { $0[place]?.kept = isKept ? self : nil }
    }
}
