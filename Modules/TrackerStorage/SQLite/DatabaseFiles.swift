/// Which files a database consists of, to notice when their paths have come to lead to others.
struct DatabaseFiles: Hashable, Sendable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    /// Looks at the files as they are now.
    init(_ folder: StateFolder) {
        database = FileIdentity(ofPath: folder.database)
        log = FileIdentity(ofPath: folder.log)
    }
}
