import CSQLite
import TrackerModels

/// One compiled statement, run as often as its owner likes, and released with its last reference.
///
/// It serves one caller at a time: a run ends before the next begins.
@safe final class Statement {
    fileprivate let handle: OpaquePointer
    private let path: String
    /// Where the columns are that rows were asked for, by the addresses of their names in the program. A row asks for
    /// ten or more, and each look at an array in a class that changes would be watched for another at the same time.
    private let columns: UnsafeMutableBufferPointer<(name: UInt, index: Int32)>

    init(_ handle: OpaquePointer, path: String) {
        unsafe self.handle = handle
        self.path = path
        unsafe columns = .allocate(capacity: Int(sqlite3_column_count(handle)))
        unsafe columns.initialize(repeating: (0, 0))
    }

    deinit {
        unsafe columns.deallocate()
        unsafe sqlite3_finalize(handle)
    }

    /// What it was compiled from.
    var text: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Runs the statement to its end.
    ///
    /// - Returns: How many rows it has changed, if it is one that changes rows.
    @discardableResult
    func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(StorageError) -> Int64 {
        defer { reset() }
        try bind(repeat each values)
        while try step() {}
        return changes
    }

    private var changes: Int64 { unsafe sqlite3_changes64(sqlite3_db_handle(handle)) }

    /// Runs the statement to its end with a text, and perhaps a blob, after its other values.
    ///
    /// SQLite reads these two where they are, without a copy: this is how every event is written.
    ///
    /// - Returns: How many rows it has changed.
    @discardableResult
    func run<each Value: SQLiteValue>(
        _ values: repeat each Value, lending text: ArraySlice<UInt8>, _ blob: ArraySlice<UInt8>? = nil
    ) throws(StorageError) -> Int64 {
        let index = try bind(repeat each values) + 1
        let failure: StorageError? = unsafe text.withUnsafeBytes { text in
            unsafe blob.withBytes { blob -> StorageError? in
                defer {
                    reset()
                    unsafe sqlite3_clear_bindings(handle)
                }
                var code = unsafe tracker_sqlite_lend_text(
                    handle, index, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count))
                if code == SQLITE_OK, let blob = unsafe blob {
                    code = unsafe tracker_sqlite_lend_blob(handle, index + 1, blob.baseAddress, Int32(blob.count))
                }
                guard code == SQLITE_OK else { return error(code) }
                repeat { code = unsafe sqlite3_step(handle) } while code == SQLITE_ROW
                return code == SQLITE_DONE ? nil : error(code)
            }
        }
        if let failure { throw failure }
        return changes
    }

    /// Reads the first row, if there is one.
    func first<Result, each Value: SQLiteValue>(
        _ values: repeat each Value, read: (Row) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        defer { reset() }
        try bind(repeat each values)
        return try step() ? try read(Row(self)) : nil
    }

    /// Reads the first column of the first row as a number: 0 if it is null, `nil` without a row.
    func number<each Value: SQLiteValue>(_ values: repeat each Value) throws(StorageError) -> Int64? {
        defer { reset() }
        try bind(repeat each values)
        return try step() ? unsafe sqlite3_column_int64(handle, 0) : nil
    }

    func hasRow<each Value: SQLiteValue>(_ values: repeat each Value) throws(StorageError) -> Bool {
        defer { reset() }
        try bind(repeat each values)
        return try step()
    }

    /// Reads all rows, but those that `read` gives nothing for.
    func all<Result, each Value: SQLiteValue>(
        _ values: repeat each Value, read: (Row) throws(StorageError) -> Result?
    ) throws(StorageError) -> [Result] {
        defer { reset() }
        try bind(repeat each values)
        var results: [Result] = []
        while try step() {
            if let result = try read(Row(self)) { results.append(result) }
        }
        return results
    }

    /// Reads rows until there are no more, or until `body` returns false.
    ///
    /// - Parameter body: Reads one row; gives false to stop.
    func rows<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        defer { reset() }
        try bind(repeat each values)
        while try step(), try body(Row(self)) {}
    }

    /// Finds a column by its name; only the first row that asks for it looks among the names.
    fileprivate func index(of column: StaticString) -> Int32 {
        let name = unsafe UInt(bitPattern: column.utf8Start)
        var place = 0
        while unsafe place < columns.count, unsafe columns[place].name != 0 {
            if unsafe columns[place].name == name { return unsafe columns[place].index }
            place += 1
        }
        let index = (0..<(unsafe sqlite3_column_count(handle))).first { index in
            unsafe sqlite3_column_name(handle, index).map { unsafe String(cString: $0) } == column.description
        }
        guard let index else { preconditionFailure("The statement has no column \(column)") }
        // Two places in the program may ask for one column by names at different addresses.
        if unsafe place < columns.count { unsafe columns[place] = (name, index) }
        return index
    }

    /// - Returns: How many values there are.
    @discardableResult
    private func bind<each Value: SQLiteValue>(_ values: repeat each Value) throws(StorageError) -> Int32 {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            let code = unsafe value.bind(to: handle, at: index)
            guard code == SQLITE_OK else { throw error(code) }
        }
        return index
    }

    private func step() throws(StorageError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(code)
        }
    }

    /// Ends a run; `step` has reported its failures.
    private func reset() { unsafe sqlite3_reset(handle) }

    private func error(_ code: Int32) -> StorageError {
        unsafe Connection.error(code, of: sqlite3_db_handle(handle), at: path)
    }
}

extension Statement {
    /// The row that a statement has come to. It is read before the statement goes on.
    struct Row {
        private let statement: Statement

        fileprivate init(_ statement: Statement) { self.statement = statement }

        func isNull(_ column: StaticString) -> Bool {
            unsafe sqlite3_column_type(statement.handle, statement.index(of: column)) == SQLITE_NULL
        }

        /// A column as a number; 0 if it is null.
        func int64(_ column: StaticString) -> Int64 {
            unsafe sqlite3_column_int64(statement.handle, statement.index(of: column))
        }

        /// A column as a number; 0 if it is null.
        func int(_ column: StaticString) -> Int { Int(int64(column)) }

        /// A column as a time; `nil` if it is null.
        func timestamp(_ column: StaticString) -> Timestamp? {
            isNull(column) ? nil : Timestamp(milliseconds: int64(column))
        }

        /// A column as text; `nil` if it is null.
        func text(_ column: StaticString) -> String? {
            let index = statement.index(of: column)
            guard let text = unsafe sqlite3_column_text(statement.handle, index) else { return nil }
            let count = unsafe Int(sqlite3_column_bytes(statement.handle, index))
            return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        }

        /// A column as bytes; empty if it is null.
        func bytes(_ column: StaticString) -> [UInt8] {
            let index = statement.index(of: column)
            guard let blob = unsafe sqlite3_column_blob(statement.handle, index) else { return [] }
            let count = unsafe Int(sqlite3_column_bytes(statement.handle, index))
            return unsafe Array(UnsafeRawBufferPointer(start: blob, count: count))
        }
    }
}

extension ArraySlice<UInt8>? {
    /// Lends the bytes, if there are any.
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard let bytes = self else { return body(nil) }
        return unsafe bytes.withUnsafeBytes { unsafe body($0) }
    }
}

protocol SQLiteValue {
    /// Binds the value to a statement, which copies it.
    ///
    /// - Returns: A result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Bool: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

extension String: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var copy = self
        return copy.withUTF8 { utf8 in
            unsafe utf8.withMemoryRebound(to: CChar.self) { text in
                unsafe tracker_sqlite_bind_text(statement, index, text.baseAddress, Int32(text.count))
            }
        }
    }
}

extension [UInt8]: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes { bytes in
            unsafe tracker_sqlite_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count))
        }
    }
}

extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): unsafe value.bind(to: statement, at: index)
        case .none: unsafe sqlite3_bind_null(statement, index)
        }
    }
}
