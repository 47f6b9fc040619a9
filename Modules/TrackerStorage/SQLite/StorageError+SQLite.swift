import CSQLite

extension StorageError {
    /// Reads why SQLite failed.
    ///
    /// - Parameters:
    ///   - code: An extended result code.
    ///   - systemError: What the operating system said last, or 0.
    ///   - path: The database.
    ///   - detail: SQLite's own sentence.
    init(sqlite code: Int32, systemError: Int32, path: String, detail: String) {
        let kind: Kind =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            // A row that is there although it cannot be, or that has a type it cannot have, is damage as well.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .corrupt
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CANTOPEN: Self.kind(ofSystemError: systemError) ?? .open
            case SQLITE_IOERR where Self.damageCodes.contains(code): .corrupt
            default: Self.kind(ofSystemError: systemError) ?? .failed
            }
        self.init(kind, "\(path): \(detail) (SQLite \(code))")
    }

    /// Input errors that mean that a file is shorter than it says.
    private static let damageCodes: Set<Int32> = [
        SQLITE_IOERR | (2 << 8),  // SQLITE_IOERR_SHORT_READ
        SQLITE_IOERR | (33 << 8),  // SQLITE_IOERR_CORRUPTFS
    ]
}
