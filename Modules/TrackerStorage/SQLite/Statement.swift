import CSQLite

/// One compiled statement, kept and run many times, and released with its last reference.
@safe final class Statement {
    private let handle: OpaquePointer
    private let path: String

    /// Takes over a compiled statement.
    ///
    /// - Parameters:
    ///   - handle: What `sqlite3_prepare_v3` made.
    ///   - path: The database, for messages.
    init(_ handle: OpaquePointer, path: String) {
        unsafe self.handle = handle
        self.path = path
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs the statement to its end.
    func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(StorageError) {
        defer { reset() }
        try bind(repeat each values)
        while try step() {}
    }

    /// Runs the statement to its end with a text, and perhaps a blob, after its other values.
    ///
    /// SQLite reads these two where they are, without a copy: this is how every event is written.
    ///
    /// - Returns: How many rows it has changed.
    @discardableResult
    func run<each Value: SQLiteValue>(
        _ values: repeat each Value, lending text: String, _ blob: [UInt8]? = nil
    ) throws(StorageError) -> Int64 {
        var index = try bind(repeat each values)
        var text = text
        let failure: StorageError? = text.withUTF8 { text in
            unsafe blob.withBytes { blob -> StorageError? in
                defer {
                    reset()
                    unsafe sqlite3_clear_bindings(handle)
                }
                index += 1
                var code = unsafe text.withMemoryRebound(to: CChar.self) { text in
                    unsafe tracker_sqlite_lend_text(handle, index, text.baseAddress, Int32(text.count))
                }
                if code == SQLITE_OK, let blob = unsafe blob {
                    code = unsafe tracker_sqlite_lend_blob(handle, index + 1, blob.baseAddress, Int32(blob.count))
                }
                guard code == SQLITE_OK else { return error(code) }
                repeat { code = unsafe sqlite3_step(handle) } while code == SQLITE_ROW
                return code == SQLITE_DONE ? nil : error(code)
            }
        }
        if let failure { throw failure }
        return unsafe sqlite3_changes64(sqlite3_db_handle(handle))
    }

    /// Reads the first row, if there is one.
    func first<Result, each Value: SQLiteValue>(
        _ values: repeat each Value, read: (Statement) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        defer { reset() }
        try bind(repeat each values)
        return try step() ? try read(self) : nil
    }

    /// Reads rows until there are no more, or until `body` returns false.
    ///
    /// - Parameter body: Reads one row; gives false to stop.
    func rows<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (Statement) throws(StorageError) -> Bool
    ) throws(StorageError) {
        defer { reset() }
        try bind(repeat each values)
        while try step(), try body(self) {}
    }

    /// Whether a column of the current row is null.
    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// A column of the current row as a number; 0 if it is null.
    func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// A column of the current row as a number; 0 if it is null.
    func int(_ column: Int32) -> Int { Int(int64(column)) }

    /// A column of the current row as text; `nil` if it is null.
    func text(_ column: Int32) -> String? {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// A column of the current row as bytes; empty if it is null.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let blob = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, column))))
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

extension [UInt8]? {
    /// Lends the bytes, if there are any.
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard let bytes = self else { return body(nil) }
        return unsafe bytes.withUnsafeBytes { unsafe body($0) }
    }
}

/// What a statement takes.
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
