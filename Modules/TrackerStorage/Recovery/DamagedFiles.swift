import TrackerModels

/// The names that a damaged database takes while another is built from it, in an order that a crash may interrupt
/// anywhere.
///
/// First it becomes the *damaged copy*. Then a new database is built from it and takes its place. Last, the copy is set
/// aside under a number. While there is a damaged copy, the next process to open the database continues from there. All
/// of it happens under the writers' lock.
struct DamagedFiles {
    /// How many set-aside databases are kept.
    static let kept = 3

    private static let database = StateFolder.databaseName
    private static let damagedCopyName = database + ".damaged"
    private static let newName = database + ".new"
    private static let setAsidePrefix = database + ".corrupt-"
    /// What SQLite appends to the name of a database for the files beside it.
    private static let companions = ["-wal", "-shm", "-journal"]

    private let directory: Directory

    init(_ folder: StateFolder) {
        directory = folder.directory
    }

    /// Where the damaged database is while a new one is built.
    var damagedCopy: String { directory.file(Self.damagedCopyName) }

    /// Where the new one is built.
    var new: String { directory.file(Self.newName) }

    /// Whether a recovery has begun.
    func hasDamagedCopy() throws(StorageError) -> Bool { try FileIdentity(ofPath: damagedCopy) != nil }

    /// Whether there is a database where it belongs.
    func hasDatabase() throws(StorageError) -> Bool {
        try FileIdentity(ofPath: directory.file(Self.database)) != nil
    }

    /// Takes the database from its place.
    func moveDamaged() throws(StorageError) {
        try directory.rename(Self.database, to: Self.damagedCopyName)
        try clearPlace()
    }

    /// Moves the old log after the database, and clears away what a crash has left of a new one.
    func clearPlace() throws(StorageError) {
        let log = Self.database + "-wal"
        if try FileIdentity(ofPath: directory.file(log)) != nil,
            try FileIdentity(ofPath: damagedCopy + "-wal") == nil
        {
            try directory.rename(log, to: Self.damagedCopyName + "-wal")
        }
        for suffix in Self.companions { try directory.remove(Self.database + suffix) }
        for suffix in [""] + Self.companions { try directory.remove(Self.newName + suffix) }
    }

    /// Puts the new database in its place.
    func placeNew() throws(StorageError) {
        try directory.rename(Self.newName, to: Self.database)
        try directory.synchronize()
    }

    /// Sets the damaged copy aside; the oldest of too many goes.
    ///
    /// - Returns: The name it has now.
    func setDamagedCopyAside() throws(StorageError) -> String {
        let numbers = try setAside()
        let name = Self.setAsidePrefix + String((numbers.last ?? 0) + 1)
        for suffix in Self.companions where try FileIdentity(ofPath: damagedCopy + suffix) != nil {
            try directory.rename(Self.damagedCopyName + suffix, to: name + suffix)
        }
        try directory.rename(Self.damagedCopyName, to: name)
        for number in numbers.dropLast(Self.kept - 1) { try remove(number) }
        return name
    }

    /// Removes all that was set aside.
    func removeAll() throws(StorageError) {
        for number in try setAside() { try remove(number) }
    }

    /// The numbers of what was set aside, rising.
    private func setAside() throws(StorageError) -> [Int] {
        try directory.names().compactMap { name in
            name.hasPrefix(Self.setAsidePrefix) ? Int32(name.dropFirst(Self.setAsidePrefix.count)).map(Int.init) : nil
        }
        .sorted()
    }

    private func remove(_ number: Int) throws(StorageError) {
        for suffix in Self.companions + [""] { try directory.remove(Self.setAsidePrefix + String(number) + suffix) }
    }
}
