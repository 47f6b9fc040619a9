import Synchronization
import TrackerModels

/// The connection for reading, beside the one for writing. Any thread may use it, one at a time.
///
/// It is opened by the first read, and again when the path leads to another file.
final class ReadingConnection: Sendable {
    private struct Opened {
        var database: OutboxDatabase
        var file: FileIdentity
        var key: RowKey?
    }

    private struct State {
        var opened: Opened?
        /// How often a database was opened.
        var openings = 0
    }

    private let folder: StateFolder
    private let lane: LaneIdentity
    private let backup: BackupFiles
    private let state = Mutex(State())
    private let isShut = Atomic(false)

    init(_ folder: StateFolder, _ lane: LaneIdentity) {
        self.folder = folder
        self.lane = lane
        backup = BackupFiles(folder, lane)
    }

    /// Reads one state of the database.
    ///
    /// - Parameter whenBehind: Is called if the database is older than the lane's backups. Then it counts as lost until the
    ///   writer has caught up, since it may hold what was erased.
    /// - Returns: `nil` if there is no database, if it does not know the lane, or if it is behind.
    func read<Result: Sendable>(
        _ body: @Sendable (OutboxDatabase, RowKey) throws(StorageError) -> Result,
        whenBehind: @Sendable () -> Void = {}
    ) throws(StorageError) -> Result? {
        try state.withLock { (state) throws(StorageError) in
            if isShut.load(ordering: .relaxed) { throw StorageError(.closed, "The outbox is closed") }
            let file = try FileIdentity(ofPath: folder.database)
            if state.opened?.file != file { state.opened = nil }
            guard let file = try placed(file) else { return nil }
            if state.opened == nil, let database = try open() {
                state.openings += 1
                database.opening = state.openings
                state.opened = Opened(database: database, file: file)
            }
            guard let database = state.opened?.database else { return nil }
            // The backups follow the database, and so they are read before it.
            let age = state.opened?.key == nil ? (try backup.generation, try backup.tenantGeneration) : nil
            return try database.reading { () throws(StorageError) in
                if let age, let key = try database.key(of: lane), let row = try database.lane(key, prefix: "") {
                    if row.generation.number < age.0 || row.tenantGeneration < age.1 {
                        whenBehind()
                    } else {
                        state.opened?.key = key
                    }
                }
                guard let key = state.opened?.key else { return nil }
                return try body(database, key)
            }
        }
    }

    /// Whether nothing has been written since a read. Only the next read notices that the path leads to another file.
    func isUnchanged(since version: ReadVersion) throws(StorageError) -> Bool {
        try state.withLock { (state) throws(StorageError) in
            guard let database = state.opened?.database else { return false }
            return try database.version() == version
        }
    }

    /// Closes the connection; the next read opens another.
    func close() {
        state.withLock { $0.opened = nil }
    }

    /// Closes the connection for good.
    func shut() {
        isShut.store(true, ordering: .relaxed)
        close()
    }

    /// The database's file; if it was not there just now, perhaps a new one.
    ///
    /// - Throws: `rebuilding` while a new one is being made.
    private func placed(_ file: FileIdentity?) throws(StorageError) -> FileIdentity? {
        if let file { return file }
        if try DamagedFiles(folder).hasDamagedCopy() {
            throw StorageError(.rebuilding, "\(folder.database) is being built anew by another process")
        }
        // The new one takes its place before the damaged copy goes.
        return try FileIdentity(ofPath: folder.database)
    }

    /// - Returns: `nil` if the database has no tables yet.
    private func open() throws(StorageError) -> OutboxDatabase? {
        var failure: StorageError?
        for access in [Connection.Access.readWrite, .readOnly, .immutable] {
            do throws(StorageError) {
                let connection = try Connection(folder.database, access)
                guard try Schema.currentVersion(connection) == Schema.version else { return nil }
                // The last connection to close empties the log, if a limit is set.
                try connection.execute("PRAGMA query_only=ON; PRAGMA journal_size_limit=\(Schema.logLimit)")
                return try OutboxDatabase(connection)
            } catch {
                guard error.kind == .readOnly || error.kind == .open else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? StorageError(.open, "\(folder.database) cannot be opened")
    }
}
