/// Which files a database consists of, to notice when their paths have come to lead to others.
struct DatabaseFiles: Hashable, Sendable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    /// Looks at the files as they are now.
    init(_ folder: StateFolder) {
        database = FileIdentity(ofPath: folder.database)
        log = FileIdentity(ofPath: folder.log)
    }

    /// Whether the database itself is the same file.
    func hasSameDatabase(as other: DatabaseFiles) -> Bool { database == other.database }

    /// Whether there is a log.
    var hasLog: Bool { log != nil }
}
