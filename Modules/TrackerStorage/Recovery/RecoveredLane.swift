import TrackerModels

/// What is known of a lane whose database is lost: from its backups, from the damaged database, or from both.
struct RecoveredLane {
    /// The lane's number in the lost database, 0 if it is not known.
    var number: Int64 = 0
    var consent: Consent?
    /// How often the tenant's values were reset.
    var tenantGeneration: Int64 = 1
    var generation: Int64 = 1
    /// The last generation that was erased.
    var erased: Int64 = 0
    /// A sequence number that no record can have exceeded.
    var reserved: Int64 = 0
    /// How many records waited, if that is known.
    var queued: Int?

    /// Both combined: of two values the later one, of two consents the stricter one.
    func merged(with other: RecoveredLane) -> RecoveredLane {
        RecoveredLane(
            number: number > 0 ? number : other.number,
            consent: consent == .denied || other.consent == .denied ? .denied : consent ?? other.consent,
            tenantGeneration: max(tenantGeneration, other.tenantGeneration),
            generation: max(generation, other.generation),
            erased: max(erased, other.erased), reserved: max(reserved, other.reserved), queued: queued ?? other.queued
        )
    }
}

extension StateFolder {
    /// Reads what the backups know of all lanes.
    func backedUpLanes() throws(StorageError) -> [LaneIdentity: RecoveredLane] {
        var lanes: [LaneIdentity: RecoveredLane] = [:]
        for tenant in try backups.folders() {
            for directory in try tenant.folders() {
                let files = FileKeyValueStore(directory: directory)
                guard let identity = try files.text(.identity).flatMap({ LaneIdentity(backup: $0) }) else { continue }
                lanes[identity] = try BackupFiles(self, identity).recovered
            }
        }
        return lanes
    }
}
