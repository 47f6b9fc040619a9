import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lane's books as its last commit has left them, kept outside the database: what is found there less was lost.
///
/// The file is written over in place after each commit, under the writers' lock, and never synced. After a kill it is
/// at most one commit behind the database, which says nothing; only a database that is behind the file has lost
/// something. It never stands in the way: one that cannot be written is emptied, one that cannot be read says nothing.
struct BooksFile: ~Copyable {
    private let path: String
    private var file: FileDescriptor?
    private var written: SeenBooks?

    /// Names a lane's file.
    init(_ folder: StateFolder, _ lane: LaneIdentity) {
        path = folder.books(of: lane)
    }

    /// Reads the books; `nil` if they are not known.
    func read() -> SeenBooks? {
        guard let bytes = try? FileDescriptor(opening: path, O_RDONLY).readToEnd(limit: 4096) else { return nil }
        return SeenBooks(file: bytes)
    }

    /// Writes the books.
    mutating func write(_ books: SeenBooks) {
        guard books != written else { return }
        written = nil
        do throws(StorageError) {
            let bytes = books.fileBytes
            if file == nil { file = try open(bytes.count) }
            try file?.write(bytes, at: 0)
            written = books
        } catch {
            // What it says is out of date.
            clear()
        }
    }

    /// Forgets the books: the database alone knows them until the lane's next commit.
    mutating func clear() {
        written = nil
        // Others may have the file open, so it stays the same file. Where it cannot be opened there is none, or it could
        // not be written either.
        guard let file = try? FileDescriptor(opening: path, O_WRONLY) else { return }
        ftruncate(file.number, 0)
    }

    private func open(_ length: Int) throws(StorageError) -> FileDescriptor {
        let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT)
        // What somebody has put there can be longer.
        ftruncate(file.number, off_t(length))
        return file
    }

    /// Has the path looked up again, since it can lead to another file.
    mutating func reopen() {
        file = nil
        written = nil
    }
}

extension SeenBooks {
    /// How many bytes a line has: four numbers and a check of sixteen digits each, parted by spaces.
    private static let lineLength = 5 * 17

    /// The books as a line of text, always of the same length, since it is written over the last one.
    fileprivate var fileBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.lineLength)
        for number in [ledger?.number ?? 0, Int64(accepted), Int64(queued), sequence] {
            Self.append(UInt64(bitPattern: number), to: &bytes)
        }
        Self.append(FNV1a.hash(bytes), to: &bytes)
        bytes[bytes.count - 1] = UInt8(ascii: "\n")
        return bytes
    }

    /// Reads a line; `nil` if it is not as it was written.
    fileprivate init?(file bytes: [UInt8]) {
        guard bytes.count == Self.lineLength else { return nil }
        let numbers = bytes.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .compactMap { UInt64(String(decoding: $0, as: UTF8.self), radix: 16) }
        guard numbers.count == 5, numbers[4] == FNV1a.hash(bytes.prefix(4 * 17)) else { return nil }
        let (ledger, accepted, queued, sequence) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard ledger > 0, ledger <= Int64.max, accepted <= LaneKey.maxCount, queued <= accepted,
            sequence <= LaneKey.maxSequence
        else { return nil }
        self.init(
            ledger: Ledger(Int64(ledger)), accepted: Int(accepted), queued: Int(queued), sequence: Int64(sequence)
        )
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift) & 15)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        bytes.append(UInt8(ascii: " "))
    }
}
