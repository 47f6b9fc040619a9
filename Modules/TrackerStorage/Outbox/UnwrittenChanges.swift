import TrackerModels

/// The changes of a lane that the disk has refused, in their order, with what other lanes of the brand have to say.
///
/// They hold in memory and are written first once writing works. ``UnwrittenLog`` keeps them.
struct UnwrittenChanges: Sendable {
    private(set) var changes: [LaneChange] = []
    /// Whether a reset of another lane of the brand waits, or a person is to be forgotten.
    private var awaitsOtherLane = false

    /// The changes of a lane among those of its brand.
    init(_ entries: [UnwrittenLog.Entry], of lane: LaneIdentity) {
        for entry in entries {
            switch entry.change {
            case let change where entry.lane == lane: changes.append(change)
            case .consent: changes.append(entry.change)
            case .reset(let all, _):
                changes.append(.remove(.deviceID))
                if all { changes.append(.remove(.brandID)) }
                awaitsOtherLane = true
            case .forget: awaitsOtherLane = true
            default: break
            }
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Whether one of them must be written before anything may be sent.
    var isAwaitingDisk: Bool { awaitsOtherLane || changes.contains(where: \.awaitsDisk) }

    /// Whether the queue on disk no longer counts: it will be erased.
    var hidesRecords: Bool {
        isAwaitingDisk
            || changes.contains { change in
                if case .dropAll = change { true } else { false }
            }
    }

    /// Whether what the server has refused no longer counts: it will be erased.
    var erasesRefused: Bool {
        changes.contains { change in
            switch change {
            case .reset(all: true, _), .consent(.denied, _): true
            default: false
            }
        }
    }

    /// The records that have left the queue in memory.
    var settledRecords: [Record.ID] {
        changes.flatMap { change -> [Record.ID] in
            switch change {
            case .delivered(let records, _): records.map(\.id)
            case .drop(let ids, _, _): ids
            default: []
            }
        }
    }

    /// A change in the form in which it outlives its refusal; `nil` for one that the refusal ends, or that changes nothing.
    ///
    /// - Parameter disk: The lane as it was last known to be on disk.
    func kept(_ change: LaneChange, over disk: LaneState) -> LaneChange? {
        var lane = lane(over: disk)
        switch change {
        case .append, .continueSession, .set, .requeue, .dropRefused, .unforget, .group, .barrier: return nil
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
    var hidesRecordsFromOthers: Bool {
        hidesRecords
            || changes.contains { change in
                switch change {
                case .delivered, .drop: true
                default: false
                }
            }
    }

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

extension LaneChange {
    /// Whether the change counts only once it is in the backups too.
    var isBackedUp: Bool {
        switch self {
        case .append(let draft): !draft.values.isEmpty || draft.sessionMetadata != nil
        case .delivered, .drop, .dropAll, .requeue, .dropRefused, .group, .barrier: false
        case .continueSession, .reset, .consent, .forget, .unforget, .expire, .bind, .bindMade, .unbind, .identify,
            .set,
            .ensure, .store, .remove, .ensureDevice:
            true
        }
    }

    /// Whether it decides which records are sent, or under which session.
    var guidesDelivery: Bool {
        switch self {
        case .delivered, .drop, .dropAll, .reset, .consent, .forget, .expire, .bind, .bindMade, .unbind, .identify,
            .group:
            true
        case .append, .continueSession, .unforget, .set, .ensure, .store, .remove, .ensureDevice, .requeue,
            .dropRefused, .barrier:
            false
        }
    }

    /// Whether nothing may be sent before it is on disk.
    var awaitsDisk: Bool {
        switch self {
        case .reset, .consent, .forget: true
        default: false
        }
    }
}

extension LaneState {
    /// An unknown lane.
    static let empty = LaneState(
        generation: Generation(1), consent: .granted, entry: GenerationEntry(), queuedRecords: 0, queuedBytes: 0,
        oldestOccurredAt: nil, isAwaitingDisk: false
    )
}
