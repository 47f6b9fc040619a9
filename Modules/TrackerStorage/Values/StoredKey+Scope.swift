extension StoredKey {
    /// Whose value it is.
    var scope: ValueScope {
        switch self {
        case .deviceID, .brandID: .brand
        case .sessionID, .sessionEmail, .identifyID, .sessionMetadata, .own: .lane
        }
    }
}
