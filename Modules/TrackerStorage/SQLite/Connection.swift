import CSQLite
import TrackerPlatform

/// One SQLite database handle, closed when it goes out of scope.
///
/// It serves one caller at a time.
@safe struct Connection: ~Copyable {
    enum Access {
        /// To read and write; made for its owner alone if it is missing.
        case create
        /// To read and write; must exist.
        case readWrite
        /// To read alone; must exist.
        case readOnly
        /// To read alone, in a folder where not even the index of the log can be made.
        ///
        /// Only for a database without a writer.
        case immutable
    }

    /// The path of a database in memory.
    static let memory = ":memory:"

    /// How long SQLite waits for another process, in milliseconds.
    ///
    /// Writers queue on a lock of their own. This wait is for other tools, and for the moment of a log's recovery.
    static let busyTimeout: Int32 = 5_000

    let path: String
    private let handle: OpaquePointer
    private let cache: StatementCache

    /// - Parameters:
    ///   - path: The file, or ``memory``.
    ///   - access: What for.
    init(_ path: String, _ access: Access) throws(StorageError) {
        if access == .create, path != Self.memory { try FileDescriptor.make(path) }
        let name = Self.nameWithoutLinks(of: path)
        let vfs = unsafe tracker_sqlite_vfs()
        var opened: OpaquePointer?
        let code =
            switch access {
            case .create:
                unsafe sqlite3_open_v2(name, &opened, Self.flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs)
            case .readWrite:
                unsafe sqlite3_open_v2(name, &opened, Self.flags | SQLITE_OPEN_READWRITE, vfs)
            case .readOnly:
                unsafe sqlite3_open_v2(name, &opened, Self.flags | SQLITE_OPEN_READONLY, vfs)
            case .immutable:
                unsafe sqlite3_open_v2(
                    Self.immutableName(of: name), &opened, Self.flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs
                )
            }
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe Self.error(code, of: opened, at: path)
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        self.path = path
        unsafe self.handle = handle
        // Not where it is declared: Swift 6.2 would destroy it before it exists if this initialiser throws.
        cache = StatementCache()
        unsafe sqlite3_busy_timeout(handle, Self.busyTimeout)
        // The last connection to close would remove the log at its path. SQLite first checks that the log is its own,
        // but check and removal are two steps.
        var isKept: Int32 = 1
        unsafe sqlite3_file_control(handle, nil, SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    deinit {
        // A statement that is still alive keeps the handle open until it is gone too.
        unsafe sqlite3_close_v2(handle)
    }

    /// How many rows were changed since the database was opened.
    var changes: Int64 { unsafe sqlite3_total_changes64(handle) }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Sets how long SQLite waits for another process before it gives up.
    func setPatience(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Runs statements that have no parameters, and ignores their rows.
    func execute(_ sql: String) throws(StorageError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe Self.error(code, of: handle, at: path) }
    }

    /// The statement with a text that stands in the program. It is compiled when it is first asked for, and kept.
    func statement(_ sql: StaticString) throws(StorageError) -> Statement {
        // Two places with one text have two statements: the address is found faster than the text.
        let address = unsafe UInt(bitPattern: sql.utf8Start)
        if let place = cache.addresses.firstIndex(of: address) { return cache.statements[place] }
        let statement = try prepare(sql.description, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        cache.addresses.append(address)
        cache.statements.append(statement)
        return statement
    }

    /// The texts of the statements that were compiled and kept so far.
    var compiled: [String] { cache.statements.map(\.text) }

    /// Compiles a statement for one run.
    func prepare(_ sql: String) throws(StorageError) -> Statement { try prepare(sql, flags: 0) }

    /// Reads the number that a statement such as a pragma gives.
    func number(_ sql: String) throws(StorageError) -> Int64? { try prepare(sql).number() }

    private func prepare(_ sql: String, flags: UInt32) throws(StorageError) -> Statement {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else {
            throw unsafe Self.error(code, of: handle, at: path)
        }
        return unsafe Statement(statement, path: path)
    }

    /// Reads why a handle failed last.
    static func error(_ code: Int32, of handle: OpaquePointer?, at path: String) -> StorageError {
        guard let handle = unsafe handle else {
            return StorageError(sqlite: code, systemError: ENOMEM, path: path, detail: "out of memory")
        }
        let extended = unsafe sqlite3_extended_errcode(handle)
        let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "unknown error"
        let detail = extended == Self.linkCode ? StorageError.linkSentence : message
        return StorageError(
            sqlite: extended & 0xFF == code & 0xFF ? extended : code,
            systemError: unsafe sqlite3_system_errno(handle), path: path, detail: detail
        )
    }

    /// SQLITE_CANTOPEN_SYMLINK
    private static let linkCode = SQLITE_CANTOPEN | (6 << 8)

    private static var flags: Int32 { SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW }

    /// A database's path without links in its folders: SQLite, which is not to follow one of the file itself, would not
    /// follow those either.
    private static func nameWithoutLinks(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), let resolved = unsafe realpath(String(path[...slash]), nil) else {
            return path
        }
        defer { unsafe free(resolved) }
        let folder = unsafe String(cString: resolved)
        return (folder == "/" ? "" : folder) + path[slash...]
    }

    /// A file name as SQLite's URI, where `%`, `?` and `#` have a meaning.
    private static func immutableName(of path: String) -> String {
        let escaped = path.utf8.reduce(into: [UInt8]()) { bytes, byte in
            switch byte {
            case UInt8(ascii: "%"): bytes += "%25".utf8
            case UInt8(ascii: "?"): bytes += "%3f".utf8
            case UInt8(ascii: "#"): bytes += "%23".utf8
            default: bytes.append(byte)
            }
        }
        return "file:" + String(decoding: escaped, as: UTF8.self) + "?immutable=1"
    }
}

/// The compiled statements of a connection.
private final class StatementCache {
    /// Where their texts are. There are some dozens at most, and to compare them costs less than a hash.
    var addresses: [UInt] = []
    var statements: [Statement] = []
}

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
            // A row number of an impossible type is damage as well.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH: .corrupt
            // Damage may be the reason, but so may what was written.
            case SQLITE_CONSTRAINT, SQLITE_TOOBIG: .refused
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CANTOPEN: Self.kind(ofSystemError: systemError) ?? .open
            case SQLITE_IOERR where Self.damageCodes.contains(code): .corrupt
            default: Self.kind(ofSystemError: systemError) ?? .failed
            }
        self.init(kind, "\(path): \(detail) (SQLite \(code))")
        isPassing =
            switch code & 0xFF {
            case SQLITE_NOMEM, SQLITE_INTERRUPT: true
            case SQLITE_IOERR, SQLITE_CANTOPEN: Self.isPassing(systemError)
            default: false
            }
        isRefusedRead = code == Self.refusedRead || code == SQLITE_IOERR | (1 << 8)  // SQLITE_IOERR_READ
    }

    /// SQLITE_IOERR_VNODE: our VFS says so of a read that the medium refuses.
    private static let refusedRead = SQLITE_IOERR | (27 << 8)

    /// Input errors after which a database in use is built anew: the file was cut short, or the medium refuses a read.
    private static let damageCodes: Set<Int32> = [
        SQLITE_IOERR | (2 << 8),  // SQLITE_IOERR_SHORT_READ
        refusedRead,
    ]
}
