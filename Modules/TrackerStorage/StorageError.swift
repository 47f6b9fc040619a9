/// Why the disk could not do what was asked.
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
        /// Another process held the database for too long.
        case busy
        /// The disk failed otherwise.
        case failed
        /// The outbox was closed.
        case closed
    }

    /// What went wrong.
    public var kind: Kind
    /// A sentence for a developer, naming the path.
    public var message: String

    /// Makes an error.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
