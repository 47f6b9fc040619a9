/// Which files a database consists of, to notice when a path has come to lead to others.
struct DatabaseFiles: Hashable, Sendable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    /// Looks at the files as they are now.
    init(_ folder: StateFolder) {
        database = FileIdentity(ofPath: folder.database)
        log = FileIdentity(ofPath: folder.log)
    }

    /// Whether the database is the same and its log alone is gone.
    func hasLostLog(since earlier: DatabaseFiles) -> Bool {
        database == earlier.database && log == nil
    }
}
