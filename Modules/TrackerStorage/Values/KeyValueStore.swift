import TrackerModels

/// A value as it is kept.
struct StoredValue: Hashable, Sendable {
    /// The value.
    var text: String
    /// When it ends, by the wall clock.
    var expires: Timestamp
    /// Counts the resets of its scope: a value from before a reset does not count.
    var epoch: Int64
}

/// What a store has under a key.
enum Holding: Hashable, Sendable {
    /// Nothing, for an unknown reason.
    case absent
    /// Nothing, since it was removed.
    case removed
    /// A value, which may have expired.
    case value(StoredValue)
}

/// Small values under keys, of one lane or of one brand.
protocol KeyValueStore {
    /// Reads a value.
    func holding(for key: String) throws(StorageError) -> Holding

    /// Whether there is anything under a key, readable or not.
    func contains(_ key: String) -> Bool

    /// Keeps a value, in place of any under the same key.
    func save(_ value: StoredValue, for key: String) throws(StorageError)

    /// Removes a value; one that is not there is no error.
    func remove(_ key: String) throws(StorageError)
}

/// Whose values: a lane's or its brand's.
enum ValueScope: Hashable, Sendable {
    /// The values of one lane.
    case lane
    /// The values that all lanes of a brand share.
    case brand
}

extension StoredKey {
    /// Whose value it is.
    var scope: ValueScope {
        switch self {
        case .deviceID, .brandID: .brand
        case .sessionID, .sessionEmail, .identifyID, .sessionMetadata, .own: .lane
        }
    }
}
