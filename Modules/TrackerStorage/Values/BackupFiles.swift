import TrackerModels

/// The backup files of one lane and of its tenant.
struct BackupFiles: Sendable {
    /// Facts of a scope that are no values of a client; their names lack the prefix that those have.
    enum Fact: String {
        /// Whose folder this is: a JSON object.
        case identity
        case consent
        /// How often the tenant's values were reset.
        case tenantGeneration = "epoch"
        case generation
        /// The last generation that a denial or a reset of everything has erased.
        case erased
        /// The lane's number in the database.
        case number
        /// The end of the block of sequence numbers that may be in use.
        case sequence
        /// Something of the folder, whosever it is, is still to be erased.
        case erasure
        /// The persons to forget, as hashes, in the whole folder.
        case forgotten
        /// Since when the system refuses to read the folder's damaged database.
        case refusal
    }

    let lane: FileKeyValueStore
    let tenant: FileKeyValueStore

    init(_ folder: StateFolder, _ identity: LaneIdentity) {
        lane = FileKeyValueStore(directory: folder.laneBackup(of: identity))
        tenant = FileKeyValueStore(directory: folder.tenantBackup(of: identity))
    }

    func files(_ scope: ValueScope) -> FileKeyValueStore {
        switch scope {
        case .lane: lane
        case .tenant: tenant
        }
    }

    /// The lane's generation, 0 if it is not known.
    var generation: Int64 {
        get throws(StorageError) { try lane.number(.generation) ?? 0 }
    }

    /// How often the tenant's values were reset, 0 if it is not known.
    var tenantGeneration: Int64 {
        get throws(StorageError) { try tenant.number(.tenantGeneration) ?? 0 }
    }

    /// The end of the reserved block of sequence numbers, 0 if none is.
    var reserved: Int64 {
        get throws(StorageError) { try lane.number(.sequence) ?? 0 }
    }

    /// Keeps the end of a block of sequence numbers.
    ///
    /// - Returns: Why it was not kept. That is no harm unless the database, which has it too, is lost as well.
    func reserve(_ reserved: Int64) -> StorageError? {
        do throws(StorageError) {
            try lane.save(String(reserved), .sequence)
            return nil
        } catch {
            return error
        }
    }

    /// The lane's number in the lost database.
    var laneNumber: Int64 {
        get throws(StorageError) { try lane.number(.number) ?? 0 }
    }

    var consent: Consent? {
        get throws(StorageError) { try tenant.text(.consent).flatMap(Consent.init) }
    }

    /// All that is known of the lane without its database.
    var recovered: RecoveredLane {
        get throws(StorageError) {
            let generation = max(1, try generation)
            // It is written before the generation. The current one is never erased.
            let erased = min(try lane.number(.erased) ?? 0, generation - 1)
            return RecoveredLane(
                number: try laneNumber, consent: try consent, tenantGeneration: max(1, try tenantGeneration),
                generation: generation,
                erased: erased, reserved: try reserved)
        }
    }
}

extension FileKeyValueStore {
    /// Reads a fact; `nil` if there is none, or if its file is damaged.
    func text(_ fact: BackupFiles.Fact) throws(StorageError) -> String? {
        guard case .value(let value) = try state(for: fact.rawValue) else { return nil }
        return value.text
    }

    /// Reads a fact that is a number; `nil` for one that cannot be.
    func number(_ fact: BackupFiles.Fact) throws(StorageError) -> Int64? {
        try text(fact).flatMap { Int64($0) }.flatMap { RowKey.known.contains($0) ? $0 : nil }
    }

    /// Keeps a fact, unless the file has it already.
    func save(_ text: String, _ fact: BackupFiles.Fact) throws(StorageError) {
        let value = StoredValue(text: text, expires: Timestamp(milliseconds: .max), generation: 0)
        if !isSaved(value, for: fact.rawValue) { try save(value, for: fact.rawValue) }
    }
}
