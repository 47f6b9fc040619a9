import TrackerModels

/// The changes of a lane that the disk has refused, in their order, with what other lanes of the brand have to say.
///
/// They hold in memory and are written first once writing works. ``UnwrittenLog`` keeps them.
struct UnwrittenChanges: Sendable {
    /// The changes.
    private(set) var changes: [LaneChange] = []
    /// Whether a reset of another lane of the brand waits.
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
            default: break
            }
        }
    }

    /// Whether there are none.
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

    /// The records that have left the queue in memory.
    var settledRecords: [Record.ID] {
        changes.flatMap { change -> [Record.ID] in
            switch change {
            case .delivered(let ids, _), .drop(let ids, _): ids
            default: []
            }
        }
    }

    /// A change in the form in which it outlives its refusal; `nil` for one that the refusal ends.
    ///
    /// - Parameter disk: The lane as it was last known to be on disk.
    func kept(_ change: LaneChange, over disk: LaneState) -> LaneChange? {
        switch change {
        case .append, .continueSession, .set, .group, .barrier: nil
        case .ensure(let key, _): value(for: key, over: disk) == .untouched ? change : nil
        // The id that is shown must be the one that is written later.
        case .ensureDevice:
            state(over: disk).entry.device == nil ? .store(.deviceID, DeviceID.random().text, nil) : nil
        case .unbind(let generation, _, let record) where generation != state(over: disk).generation:
            .drop([record], .sessionGone)
        default: change
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
    func state(over disk: LaneState) -> LaneState {
        var lane = changes.reduce(into: disk) { state, change in change.show(in: &state) }
        lane.isAwaitingDisk = lane.isAwaitingDisk || awaitsOtherLane
        return lane
    }

    /// A generation's binding as it will be.
    func entry(_ entry: GenerationEntry, of generation: Generation) -> GenerationEntry {
        changes.reduce(into: entry) { entry, change in
            switch change {
            case .bind(generation, let session): entry.session = session
            case .bindMade(generation, let session): entry.session = entry.session ?? session
            case .unbind(generation, entry.session, _): entry.session = nil
            case .identify(generation, let user): entry.identifyID = user
            default: break
            }
        }
    }

    /// The effect of the changes on a value.
    ///
    /// - Parameters:
    ///   - key: Which value.
    ///   - disk: The lane on disk.
    func value(for key: StoredKey, over disk: LaneState) -> UnwrittenValue {
        var state = disk
        var value = UnwrittenValue.untouched
        for change in changes {
            let next = change.value(for: key, in: state)
            if next != .untouched { value = next }
            change.show(in: &state)
        }
        return value
    }
}

/// The effect of unwritten changes on a value.
enum UnwrittenValue: Hashable, Sendable {
    /// It is as it is on disk.
    case untouched
    /// There is none.
    case removed
    /// It is this.
    case text(String)
}

extension LaneChange {
    /// Whether the change counts only once it is in the backups too.
    var isBackedUp: Bool {
        switch self {
        case .append(let draft): !draft.values.isEmpty
        case .continueSession, .delivered, .drop, .dropAll, .group, .barrier: false
        case .reset, .consent, .expire, .bind, .bindMade, .unbind, .identify, .set, .ensure, .store, .remove,
            .ensureDevice:
            true
        }
    }

    /// Whether it decides which records are sent, or under which session.
    var guidesDelivery: Bool {
        switch self {
        case .delivered, .drop, .dropAll, .reset, .consent, .expire, .bind, .bindMade, .unbind, .identify, .group:
            true
        case .append, .continueSession, .set, .ensure, .store, .remove, .ensureDevice, .barrier: false
        }
    }

    /// Whether nothing may be sent before it is on disk.
    var awaitsDisk: Bool {
        switch self {
        case .reset, .consent: true
        default: false
        }
    }

    /// Applies the change to a lane's state, as far as that is possible without the disk.
    fileprivate func show(in state: inout LaneState) {
        switch self {
        case .reset:
            state.begin(GenerationEntry())
            state.isAwaitingDisk = true
        case .consent(let consent, _):
            state.consent = consent
            state.isAwaitingDisk = true
            if consent == .denied { state.begin(GenerationEntry()) }
        case .expire(state.generation) where state.entry.session != nil:
            state.begin(GenerationEntry(device: state.entry.device))
        case .bind(state.generation, let session): state.entry.session = session
        case .bindMade(state.generation, let session): state.entry.session = state.entry.session ?? session
        case .unbind(state.generation, state.entry.session, _): state.entry.session = nil
        case .identify(state.generation, let user): state.entry.identifyID = user
        case .store(.deviceID, let text, _) where state.entry.session == nil:
            state.entry.device = DeviceID(text)
        case .remove(.deviceID) where state.entry.session == nil: state.entry.device = nil
        case .remove(.sessionID): state.entry.session = nil
        case .remove(.identifyID): state.entry.identifyID = nil
        default: break
        }
    }

    /// The effect of the change on a value.
    fileprivate func value(for key: StoredKey, in state: LaneState) -> UnwrittenValue {
        switch self {
        case .reset(let all, _):
            return key == .brandID && !all ? .untouched : .removed
        case .consent(.denied, _), .remove(key):
            return .removed
        case .expire(state.generation):
            return key.scope == .lane ? .removed : .untouched
        case .bindMade(state.generation, _) where state.entry.session != nil:
            return .untouched
        case .bind(state.generation, let session), .bindMade(state.generation, let session):
            return key == .sessionID ? .text(session.text) : .untouched
        case .unbind(state.generation, state.entry.session, _):
            return key == .sessionID ? .removed : .untouched
        case .identify(state.generation, let user):
            return key == .identifyID ? .text(user.text) : .untouched
        case .ensure(key, let text): return .text(text)
        case .store(key, let text, let generation):
            return generation == nil || generation == state.generation ? .text(text) : .untouched
        default:
            return .untouched
        }
    }
}

extension LaneState {
    /// An unknown lane.
    static let empty = LaneState(
        generation: Generation(1), consent: .granted, entry: GenerationEntry(), queuedRecords: 0, queuedBytes: 0,
        oldestOccurredAt: nil, isAwaitingDisk: false
    )

    fileprivate mutating func begin(_ entry: GenerationEntry) {
        generation = Generation(generation.number + 1)
        self.entry = entry
        sessionExpiresAt = nil
    }
}
