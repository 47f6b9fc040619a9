import TrackerModels
import TrackerPlatform

/// The backups of all tenants together.
extension StateFolder {
    /// How often to ask for the lock on the backup files, and how many microseconds apart: two seconds in all.
    private static let attempts = 200
    private static let pause: UInt32 = 10_000

    /// What the folder's clients have to know also if the database is lost.
    var facts: FileKeyValueStore { FileKeyValueStore(directory: backups) }

    /// Waits for its turn to write backups, but not for ever: the process whose turn it is may be stopped.
    func lockBackups() throws(StorageError) -> FileLock {
        let lock = try FileLock(backupLock)
        // `flock` waits either not at all or without a limit, and nothing else tells when the lock is free. So this
        // looks again and again, on the queue of the backups or, for an erasure, of the writer, which serves no caller
        // meanwhile; and only while another process writes its own.
        for _ in 0..<Self.attempts {
            if lock.tryLock() { return lock }
            usleep(Self.pause)
        }
        throw StorageError(.busy, "Another process does not finish writing its backup files")
    }

    /// The persons to forget, as the backup knows them; `nil` if it knows of none.
    var forgottenList: ForgottenList? {
        get throws(StorageError) { try facts.text(.forgotten).flatMap(ForgottenList.init) }
    }

    /// Keeps the list, unless the backup is of a later one: a database that is older catches up when it is opened.
    func keep(_ list: ForgottenList) throws(StorageError) {
        if let kept = try forgottenList, kept.changes > list.changes { return }
        try facts.save(list.text, .forgotten)
    }

    /// Removes the values of lanes that name a person on the list, whether or not a database knows the lane.
    fileprivate func removeValues(of list: ForgottenList) throws(StorageError) {
        for tenant in try backups.folders() {
            for directory in try tenant.folders() {
                let files = FileKeyValueStore(directory: directory)
                guard let kinds = try files.kinds, try files.names(list, kinds) else { continue }
                try files.removeValues { _ in true }
            }
        }
    }
}

extension FileKeyValueStore {
    /// The kind of the lane; a folder whose owner cannot be read may be of any. `nil` for the values of a tenant.
    fileprivate var kinds: [LaneIdentity.Kind]? {
        get throws(StorageError) {
            guard let text = try text(.identity) else { return [.session, .batch] }
            return LaneIdentity(backup: text).map { [$0.kind] }
        }
    }

    /// Whether a value names a person on the list.
    fileprivate func names(_ list: ForgottenList, _ kinds: [LaneIdentity.Kind]) throws(StorageError) -> Bool {
        for key in try keys() where BackupFiles.Fact(rawValue: key) == nil {
            guard case .value(let value) = try state(for: key) else { continue }
            let persons = kinds.compactMap { $0.person(named: value.text, under: key) }
            if persons.contains(where: list.contains) { return true }
        }
        return false
    }
}

extension OutboxDatabase {
    /// Writes the backups of all tenants. The lock on them is held.
    ///
    /// - Parameter own: The tenant whose backups must be written; of the others those are that can be. `nil`: all must, and
    ///   nothing of forgotten persons is left.
    func writeBackups(in folder: StateFolder, own: Int64? = nil) throws(StorageError) {
        var tenants: Set<Int64> = []
        for lane in try lanes(besides: RowKey(lane: 0, tenant: 0)) where tenants.insert(lane.key.tenant).inserted {
            let image = try backupImage(of: lane.key, lane.identity, in: folder)
            do throws(StorageError) {
                try image?.write(in: folder)
            } catch {
                guard let own, own != lane.key.tenant else { throw error }
            }
        }
        if own == nil { try folder.removeValues(of: try forgottenList()) }
    }
}
