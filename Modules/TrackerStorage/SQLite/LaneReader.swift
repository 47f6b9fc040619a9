import TrackerModels

/// The connection that reads, beside the one that writes.
struct LaneReader: ~Copyable {
    private let folder: StateFolder?
    private let lane: LaneIdentity
    private var database: LaneDatabase?
    private var file: FileIdentity?
    private var key: LaneKey?

    /// Names what is read; it is opened by the first read.
    ///
    /// - Parameter folder: Where it is; without one there is nothing to read.
    init(_ folder: StateFolder?, _ lane: LaneIdentity) {
        self.folder = folder
        self.lane = lane
    }

    /// Reads one state of the database.
    ///
    /// - Returns: `nil` if there is no database, or if it does not know the lane.
    mutating func read<Result>(
        _ body: @Sendable (LaneDatabase, LaneKey) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        guard let folder else { return nil }
        let current = FileIdentity(ofPath: folder.database)
        if current != file { close() }
        guard current != nil else { return nil }
        if database == nil {
            database = try open(folder)
            file = current
        }
        guard let database else { return nil }
        return try database.reading { () throws(StorageError) in
            if key == nil { key = try database.lanes.key(of: lane) }
            guard let key else { return nil }
            return try body(database, key)
        }
    }

    /// Closes the connection; the next read opens another.
    mutating func close() {
        database = nil
        file = nil
        key = nil
    }

    /// - Returns: `nil` if the database has no tables yet.
    private func open(_ folder: StateFolder) throws(StorageError) -> LaneDatabase? {
        var failure: StorageError?
        for access in [Connection.Access.readWrite, .readOnly, .immutable] {
            do throws(StorageError) {
                let connection = try Connection(folder.database, access)
                guard try Schema.currentVersion(connection) == Schema.version else { return nil }
                try connection.execute("PRAGMA query_only=ON")
                return try LaneDatabase(connection)
            } catch {
                guard error.kind == .readOnly || error.kind == .open else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? StorageError(.open, "\(folder.database) cannot be opened")
    }
}
