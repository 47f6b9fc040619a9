import TrackerModels

/// Does to a database that is older than its backups what was done since: a loss of power, or a copy that was put back, takes
/// back no reset, no denial and nothing that was erased.
///
/// All lanes catch up, whichever is opened. What is erased, moved or forgotten of one later raises its generation, and would
/// hide that it was old.
struct LaneCatchUp {
    private let database: LaneDatabase
    private let folder: StateFolder
    private let own: LaneIdentity

    /// Prepares the lanes of a folder.
    ///
    /// - Parameter own: The lane that is opened. Backups of other brands that cannot be read hold it up as little as those
    ///   that cannot be written.
    init(_ database: LaneDatabase, _ folder: StateFolder, for own: LaneIdentity) {
        self.database = database
        self.folder = folder
        self.own = own
    }

    func run() throws(StorageError) {
        let lanes = try database.lanes(besides: LaneKey(lane: 0, brand: 0))
        for lane in lanes { try repeatResets(lane.key, lane.identity) }
        // Which records keep the device of before is known once all generations are.
        var brands: Set<Int64> = []
        for lane in lanes where brands.insert(lane.key.brand).inserted { try endEpochs(lane.key, lane.identity) }
        for lane in lanes where lane.identity != own { try emptyIfDenied(lane.key) }
    }

    private func repeatResets(_ key: LaneKey, _ identity: LaneIdentity) throws(StorageError) {
        guard let generation = try read(identity, { (backup) throws(StorageError) in try backup.generation }),
            var row = try database.lane(key, prefix: ""), generation > row.generation.number,
            let erased = try read(identity, { (backup) throws(StorageError) in try backup.erased })
        else { return }
        let found = row.generation
        row.generation = Generation(generation)
        row.erased = max(row.erased, erased)
        try repeatResets(&row, after: found)
    }

    private func repeatResets(_ row: inout LaneRow, after found: Generation) throws(StorageError) {
        try database.repeatResets(&row, after: found)
        try SQLiteKeyValueStore(database, row, .lane).clear()
        try database.save(row)
    }

    private func endEpochs(_ key: LaneKey, _ identity: LaneIdentity) throws(StorageError) {
        guard let epoch = try read(identity, { (backup) throws(StorageError) in try backup.epoch }),
            var row = try database.lane(key, prefix: ""), epoch > row.epoch
        else { return }
        row.epoch = epoch
        if let consent = try read(identity, { (backup) throws(StorageError) in try backup.consent }) {
            row.consent = consent ?? row.consent
        }
        try SQLiteKeyValueStore(database, row, .brand).clear()
        try database.forgetDevice(of: row.key, generation: row.generation)
        try database.saveBrand(of: row)
    }

    /// The backups of a lane need not say that a denial has emptied it: a crash may have come before, or an older version has
    /// written them.
    private func emptyIfDenied(_ key: LaneKey) throws(StorageError) {
        guard var row = try database.lane(key, prefix: ""), row.consent == .denied else { return }
        let hasRefused = try !database.refusedSizes(of: key).isEmpty
        guard hasRefused || row.counters.queued > 0 else { return }
        let found = row.generation
        row.erased = found.number
        row.generation = Generation(found.number + 1)
        try repeatResets(&row, after: found)
    }

    /// - Returns: `nil` if the backups of another brand cannot be read.
    private func read<Fact>(
        _ identity: LaneIdentity, _ fact: (LaneBackup) throws(StorageError) -> Fact
    ) throws(StorageError) -> Fact? {
        do throws(StorageError) {
            return try fact(LaneBackup(folder, identity))
        } catch {
            let isOwn = identity.kind == own.kind && identity.owner == own.owner
            if isOwn || error.isPassing { throw error }
            return nil
        }
    }
}
