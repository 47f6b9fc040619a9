import TrackerPlatform

/// Why the state folder or the database could not be used.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Kind: Hashable, Sendable {
        /// The state folder cannot be made, or not with the rights it needs.
        case folder
        /// The database cannot be opened.
        case open
        /// The database was written by a newer version of this library.
        case newerSchema
        /// No room is left.
        case full
        /// The folder or the database cannot be written.
        case readOnly
        /// The database is damaged.
        case corrupt
        /// The database refuses what was written: it is too long, or breaks a rule.
        case refused
        /// Another process held the database for too long.
        case busy
        /// Another process is building a new database from a damaged one.
        case rebuilding
        /// A damaged database cannot be read now, and is not given up yet.
        case unreadable
        /// The disk failed in another way.
        case failed
        /// The outbox was closed.
        case closed
    }

    /// What went wrong.
    public var kind: Kind
    /// A sentence for a developer, naming the path.
    public var message: String
    /// What the operating system said, or 0.
    private var systemError: Int32 = 0
    /// Whether the process lacked memory or descriptors, or was interrupted: the next try may work.
    var isPassing = false
    /// Whether SQLite could not read at all, whatever the file holds.
    var isRefusedRead = false

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension StorageError {
    /// What a failed call of the operating system means.
    ///
    /// - Parameters:
    ///   - error: The value of `errno`.
    ///   - action: What was tried, such as "open".
    ///   - path: On what.
    init(errno error: Int32, _ action: String, _ path: String) {
        self.init(
            Self.kind(ofSystemError: error) ?? .failed,
            "Cannot \(action) \(path): \(Self.sentence(ofSystemError: error))"
        )
        systemError = error
        isPassing = Self.isPassing(error)
    }

    /// Whether an `errno` says that the process lacks memory or descriptors, or was interrupted.
    static func isPassing(_ error: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, ENOLCK].contains(error)
    }

    /// Why a file that is a link is not opened.
    static let linkSentence = "it is a symbolic link, which is not followed; remove the link"

    /// Whether there is nothing at the path, for certain. Every other failure leaves that open.
    var isAbsence: Bool { Self.isAbsence(systemError) }

    /// Whether a file is there that no later try will read.
    var isDamage: Bool { kind == .corrupt || [EIO, EISDIR, ELOOP].contains(systemError) }

    /// Whether an `errno` says that there is nothing at a path: no such name, or no folder that could hold it.
    static func isAbsence(_ error: Int32) -> Bool { error == ENOENT || error == ENOTDIR }

    /// The kind of an `errno`; `nil` for one without a kind of its own.
    static func kind(ofSystemError error: Int32) -> Kind? {
        switch error {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: nil
        }
    }

    private static func sentence(ofSystemError error: Int32) -> String {
        if error == ELOOP { return linkSentence }
        guard let text = unsafe strerror(error) else { return "error \(error)" }
        return unsafe String(cString: text)
    }
}
