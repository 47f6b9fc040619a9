import TrackerModels

/// What is known of a lane whose database is lost: from its backups, from the damaged database, or from both.
struct RecoveredLane {
    /// The lane's number in the lost database, 0 if it is not known.
    var number: Int64 = 0
    /// The brand's consent.
    var consent: Consent?
    /// How often the brand's values were reset.
    var epoch: Int64 = 1
    /// The lane's generation.
    var generation: Int64 = 1
    /// A sequence number that no record can have exceeded.
    var reserved: Int64 = 0
    /// How many records waited, if that is known.
    var queued: Int?

    /// Both combined: of two values the later one, of two consents the stricter one.
    func merged(with other: RecoveredLane) -> RecoveredLane {
        RecoveredLane(
            number: number > 0 ? number : other.number,
            consent: consent == .denied || other.consent == .denied ? .denied : consent ?? other.consent,
            epoch: max(epoch, other.epoch), generation: max(generation, other.generation),
            reserved: max(reserved, other.reserved), queued: queued ?? other.queued
        )
    }
}

extension StateFolder {
    /// What the backups know of all lanes.
    var backedUpLanes: [LaneIdentity: RecoveredLane] {
        var lanes: [LaneIdentity: RecoveredLane] = [:]
        for brand in backups.names {
            for name in backups.folder(brand).names {
                let files = FileKeyValueStore(directory: backups.folder(brand).folder(name))
                guard let identity = files.text(.identity).flatMap({ LaneIdentity(backup: $0) }) else { continue }
                let backup = LaneBackup(self, identity)
                lanes[identity] = RecoveredLane(
                    number: backup.laneNumber, consent: backup.consent, epoch: max(1, backup.epoch),
                    generation: max(1, backup.generation), reserved: backup.reserved
                )
            }
        }
        return lanes
    }
}

extension LaneTable {
    /// Makes the rows of a lane from this alone.
    func make(_ identity: LaneIdentity, _ recovered: RecoveredLane) throws(StorageError) -> LaneKey {
        try make(
            identity, number: recovered.number, consent: recovered.consent, epoch: recovered.epoch,
            generation: recovered.generation, sequence: recovered.reserved
        )
    }
}
