import TrackerModels

/// The changes of a lane that the disk has refused, in their order, with what other lanes of the tenant have to say.
///
/// They hold in memory and are written first once writing works. ``UnwrittenLog`` keeps them.
struct UnwrittenChanges: Sendable {
    private(set) var changes: [LaneChange] = []
    /// Whether a reset of another lane of the tenant waits, or a person is to be forgotten.
    private var awaitsOtherLane = false

    /// The changes of a lane among those of its tenant.
    init(_ entries: [UnwrittenLog.Entry], of lane: LaneIdentity) {
        for entry in entries {
            if entry.lane == lane {
                changes.append(entry.change)
            } else if let change = entry.change.elsewhere {
                changes += change.changes
                awaitsOtherLane = awaitsOtherLane || change.holdsDelivery
            }
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Whether one of them must be written before anything may be sent.
    var isAwaitingDisk: Bool { awaitsOtherLane || has(.awaitsDisk) }

    /// Whether the queue on disk no longer counts: it will be erased.
    var hidesRecords: Bool { isAwaitingDisk || has(.empties) }

    /// Whether what the server has refused no longer counts: it will be erased.
    var erasesRefused: Bool { has([.empties, .erases]) }

    /// The records that have left the queue in memory.
    var settledRecords: [Record.ID] { changes.flatMap(\.settledRecords) }

    private func has(_ traits: LaneChange.Traits) -> Bool { changes.contains { $0.traits.contains(traits) } }

    /// A change in the form in which it outlives its refusal; `nil` for one that the refusal ends, or that changes nothing.
    ///
    /// - Parameter disk: The lane as it was last known to be on disk.
    func kept(_ change: LaneChange, over disk: LaneState) -> LaneChange? {
        guard !change.traits.contains(.call) else { return nil }
        var lane = lane(over: disk)
        switch change {
        case .group, .barrier: return nil
        case .ensure(let key, _): return lane.value(key) == nil ? change : nil
        case .ensureDevice:
            // The id that is shown must be the one that is written later.
            let found = lane.effect(on: .deviceID)
            lane.make(change)
            guard case .text(let made) = lane.effect(on: .deviceID), .text(made) != found else { return nil }
            return .store(.deviceID, made, nil)
        case .unbind(let generation, _, let record, let rejection) where generation != lane.generation:
            return .drop([record], .sessionGone, rejection)
        default: return change
        }
    }

    /// Whether another process would send records that have left the queue here, or that must not be sent.
    var hidesRecordsFromOthers: Bool { hidesRecords || !settledRecords.isEmpty }

    /// The lane as it will be once the changes are written.
    ///
    /// - Parameter entries: What generations of its records are bound to on disk.
    func lane(over disk: LaneState, entries: [Generation: GenerationEntry] = [:]) -> UnwrittenLane {
        changes.reduce(into: UnwrittenLane(disk, entries: entries)) { lane, change in lane.make(change) }
    }

    /// The lane's state as it will be, and whether anything may be sent until then.
    func state(over disk: LaneState) -> LaneState {
        var state = lane(over: disk).state
        state.isAwaitingDisk = disk.isAwaitingDisk || isAwaitingDisk
        return state
    }
}

extension LaneState {
    /// An unknown lane.
    static let empty = LaneState(
        generation: Generation(1), consent: .granted, entry: GenerationEntry(), queuedRecords: 0, queuedBytes: 0,
        oldestOccurredAt: nil, isAwaitingDisk: false
    )
}
