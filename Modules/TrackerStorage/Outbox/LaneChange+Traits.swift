import TrackerModels

extension LaneChange {
    /// What a change is to the disk, the backups and delivery.
    struct Traits: OptionSet {
        /// It is a call: the disk's refusal ends it, and nothing of it holds in memory.
        static let call = Traits(rawValue: 1)
        /// It counts only once it is in the backups too.
        static let backedUp = Traits(rawValue: 2)
        /// It decides which records are sent, or under which session.
        static let guidesDelivery = Traits(rawValue: 4)
        /// Nothing may be sent before it is on disk.
        static let awaitsDisk = Traits(rawValue: 8)
        /// It holds for the tenant or for the folder.
        static let outlivesLane = Traits(rawValue: 16)
        /// All that waits in the lane goes.
        static let empties = Traits(rawValue: 32)
        /// What it deletes must not be found in any file.
        static let erases = Traits(rawValue: 64)

        let rawValue: UInt8
    }

    var traits: Traits {
        switch self {
        case .append(let draft):
            draft.content.values.isEmpty && draft.content.sessionMetadata == nil ? .call : [.call, .backedUp]
        case .continueSession, .set, .unforget: [.call, .backedUp]
        case .requeue, .dropRefused: .call
        case .reset(all: false, _): [.backedUp, .guidesDelivery, .awaitsDisk]
        case .reset(all: true, _): [.backedUp, .guidesDelivery, .awaitsDisk, .empties, .erases]
        case .consent(.denied, _):
            [.backedUp, .guidesDelivery, .awaitsDisk, .outlivesLane, .empties, .erases]
        case .consent: [.backedUp, .guidesDelivery, .awaitsDisk, .outlivesLane]
        case .forget: [.backedUp, .guidesDelivery, .awaitsDisk, .outlivesLane, .erases]
        case .expire, .bind, .bindMade, .unbind, .identify: [.backedUp, .guidesDelivery]
        case .ensure, .store, .remove, .ensureDevice: .backedUp
        case .dropAll: [.guidesDelivery, .empties]
        case .delivered, .drop, .group: .guidesDelivery
        case .barrier: []
        }
    }

    /// What the change is to other lanes of the tenant, and whether it keeps them from sending until it is on disk; `nil` if
    /// it is its lane's own.
    var elsewhere: (changes: [LaneChange], holdsDelivery: Bool)? {
        switch self {
        case .consent: ([self], false)
        case .reset(let all, _): (StoredKey.ofTenant(removedBy: all).map { .remove($0) }, true)
        case .forget: ([], true)
        case .append, .continueSession, .expire, .bind, .bindMade, .unbind, .identify, .unforget, .set, .ensure, .store,
            .remove, .delivered, .drop, .dropAll, .requeue, .dropRefused, .ensureDevice, .group, .barrier:
            nil
        }
    }

    /// The records that leave the queue by it, even if the disk refuses it. Those of a change that empties the queue are not
    /// named.
    var settledRecords: [Record.ID] {
        switch self {
        case .delivered(let records, _): records.map(\.id)
        case .drop(let ids, _, _): ids
        case .append, .continueSession, .reset, .consent, .expire, .bind, .bindMade, .unbind, .identify, .forget,
            .unforget, .set, .ensure, .store, .remove, .requeue, .dropRefused, .dropAll, .ensureDevice, .group,
            .barrier:
            []
        }
    }
}
