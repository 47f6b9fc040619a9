import TrackerModels

/// Which persons are to be forgotten: hashes, from which an id can only be told by trying it.
struct ForgottenList: Hashable, Sendable {
    /// How many persons can be forgotten at once.
    static let limit = 10_000
    /// Under which names the database keeps the numbers.
    static let changesName = "forgets"
    static let saltName = "salt"

    /// Counts its changes; 0 if nobody was ever forgotten.
    var changes: Int64
    /// A random number, so that the hashes of two folders tell nothing of each other.
    let salt: Int64
    var hashes: Set<Int64> = []

    init(changes: Int64, salt: Int64) {
        self.changes = changes
        self.salt = salt
    }

    func contains(_ person: Person) -> Bool { hashes.contains(Self.hash(of: person, salt)) }

    /// The hash of a person, of which the database and the backup keep 64 bits.
    static func hash(of person: Person, _ salt: Int64) -> Int64 {
        let salt = (0..<8).map { UInt8(truncatingIfNeeded: salt >> ($0 * 8)) }
        return SHA1.digest(salt + person.bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The form in which the backup keeps it: its numbers, the hashes last.
extension ForgottenList {
    var text: String { ([changes, salt] + hashes.sorted()).map { String($0) }.joined(separator: " ") }

    /// - Returns: `nil` for a text that is none of these.
    init?(text: String) {
        let words = text.split(separator: " ")
        let numbers = words.compactMap { Int64($0) }
        guard numbers.count == words.count, numbers.count >= 2, RowKey.known.contains(numbers[0]) else { return nil }
        self.init(changes: numbers[0], salt: numbers[1])
        hashes = Set(numbers.dropFirst(2))
    }
}

extension Route {
    /// Whom the body of a record names.
    func persons(in body: JSONText) -> [Person] {
        func text(_ key: String) -> String? { body[key]?.stringValue }
        return switch self {
        case .batch: [text("userId").map(Person.user), text("anonymousId").map(Person.anonymous)].compactMap(\.self)
        case .endpoint: [text("userId").map(Person.user)].compactMap(\.self)
        case .profile: [text("user_id").map(Person.user)].compactMap(\.self)
        // These are of the user with whom their session was identified.
        case .event, .metadata, .location, .email, .link: []
        }
    }

    /// The routes whose records name someone.
    static let naming: [Route] = [.profile, .batch, .endpoint]
}

extension LaneIdentity.Kind {
    /// Whom a value names that a lane has under a key.
    func person(named text: String, under key: String) -> Person? {
        switch self {
        case .session: key.hasSuffix(StoredKey.identifyID.name) ? .user(text) : nil
        case .batch, .endpoint:
            if key.hasSuffix("anonymous_id") { .anonymous(text) } else { key.hasSuffix("user_id") ? .user(text) : nil }
        }
    }
}
