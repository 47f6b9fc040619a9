/// The values a lane keeps besides its records.
package enum StoredKey: Hashable, Sendable {
    /// The current session, per lane.
    case sessionID
    /// The installation's identifier, per tenant.
    case deviceID
    /// The email of the session, per lane.
    case sessionEmail
    /// The user the session was identified with, per lane.
    case identifyID
    /// The brand, per tenant.
    case brandID
    /// The session's metadata, per lane: a JSON object.
    case sessionMetadata
    /// A client's own value, per lane, such as `anonymous_id`.
    case own(String)

    /// The name on disk, without the prefix.
    package var name: String {
        switch self {
        case .sessionID: "session_id"
        case .deviceID: "device_id"
        case .sessionEmail: "session_email"
        case .identifyID: "identify_id"
        case .brandID: "brand_id"
        case .sessionMetadata: "session_metadata"
        case .own(let name): name
        }
    }
}

extension StoredKey {
    /// The values of the tenant that a reset removes, in all of its lanes.
    static func ofTenant(removedBy all: Bool) -> [StoredKey] { all ? [.deviceID, .brandID] : [.deviceID] }
}
