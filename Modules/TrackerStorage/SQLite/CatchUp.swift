import TrackerModels

/// Does to a database that is older than its backups what was done since: a loss of power, or a copy that was put back, takes
/// back no reset, no denial and nothing that was erased.
///
/// All lanes catch up, whichever is opened. What is erased, moved or forgotten of one later raises its generation, and would
/// hide that it was old.
struct CatchUp {
    private let database: OutboxDatabase
    private let folder: StateFolder
    private let own: LaneIdentity

    /// Prepares the lanes of a folder.
    ///
    /// - Parameter own: The lane that is opened. Backups of other lanes that cannot be read hold it up as little as those
    ///   that cannot be written.
    init(_ database: OutboxDatabase, _ folder: StateFolder, for own: LaneIdentity) {
        self.database = database
        self.folder = folder
        self.own = own
    }

    /// Has them catch up.
    ///
    /// - Returns: The lanes whose backups cannot be read: what is in them may have been erased.
    func run() throws(StorageError) -> Set<LaneIdentity> {
        let lanes = try database.lanes(besides: RowKey(lane: 0, tenant: 0))
        var unread: Set<LaneIdentity> = []
        for lane in lanes where try !repeatResets(lane.key, lane.identity) { unread.insert(lane.identity) }
        // Which records keep the device of before is known once all generations are.
        var tenants: Set<Int64> = []
        for lane in lanes where tenants.insert(lane.key.tenant).inserted {
            guard try !raiseTenantGenerations(lane.key, lane.identity) else { continue }
            unread.formUnion(lanes.filter { $0.key.tenant == lane.key.tenant }.map(\.identity))
        }
        for lane in lanes where lane.identity != own { try emptyIfDenied(lane.key) }
        return unread
    }

    /// - Returns: Whether the lane's backups can be read.
    private func repeatResets(_ key: RowKey, _ identity: LaneIdentity) throws(StorageError) -> Bool {
        let isOwn = identity == own
        guard let generation = try read(identity, isOwn, { (backup) throws(StorageError) in try backup.generation }),
            var row = try database.lane(key, prefix: "")
        else { return false }
        guard generation > row.generation.number else { return true }
        guard let known = try read(identity, isOwn, { (backup) throws(StorageError) in try backup.recovered }) else {
            return false
        }
        let found = row.generation
        row.generation = Generation(known.generation)
        row.erased = max(row.erased, known.erased)
        try repeatResets(&row, after: found)
        return true
    }

    private func repeatResets(_ row: inout LaneRow, after found: Generation) throws(StorageError) {
        try database.repeatResets(&row, after: found)
        try SQLiteKeyValueStore(database, row, .lane).clear()
        try database.save(row)
    }

    /// - Returns: Whether the tenant's backups can be read.
    private func raiseTenantGenerations(_ key: RowKey, _ identity: LaneIdentity) throws(StorageError) -> Bool {
        let isOwn = identity.kind == own.kind && identity.owner == own.owner
        guard
            let (tenantGeneration, consent) = try read(
                identity, isOwn, { (backup) throws(StorageError) in (try backup.tenantGeneration, try backup.consent) }),
            var row = try database.lane(key, prefix: "")
        else { return false }
        guard tenantGeneration > row.tenantGeneration else { return true }
        row.tenantGeneration = tenantGeneration
        row.consent = consent ?? row.consent
        try SQLiteKeyValueStore(database, row, .tenant).clear()
        try database.forgetDevice(of: row.key, generation: row.generation)
        try database.saveTenant(of: row)
        return true
    }

    /// The backups of a lane need not say that a denial has emptied it: a crash may have come before, or an older version has
    /// written them.
    private func emptyIfDenied(_ key: RowKey) throws(StorageError) {
        guard var row = try database.lane(key, prefix: ""), row.consent == .denied else { return }
        let hasRefused = try !database.refusedSizes(of: key).isEmpty
        guard hasRefused || row.counters.queued > 0 else { return }
        let found = row.generation
        row.erased = found.number
        row.generation = Generation(found.number + 1)
        try repeatResets(&row, after: found)
    }

    /// - Returns: `nil` if another's backups cannot be read.
    private func read<Facts>(
        _ identity: LaneIdentity, _ isOwn: Bool, _ facts: (BackupFiles) throws(StorageError) -> Facts
    ) throws(StorageError) -> Facts? {
        do throws(StorageError) {
            return try facts(BackupFiles(folder, identity))
        } catch {
            if isOwn || error.isPassing { throw error }
            return nil
        }
    }
}
