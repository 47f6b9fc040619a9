import TrackerModels

/// Someone whom records name.
package enum Person: Hashable, Sendable {
    /// The application's name for a user.
    case user(String)
    /// The name that the client has made for a user whom it does not know yet.
    case anonymous(String)

    /// Its kind and the id, as they are spelled: what `==` finds equal may be other bytes.
    var bytes: [UInt8] {
        switch self {
        case .user(let id): [1] + id.utf8
        case .anonymous(let id): [2] + id.utf8
        }
    }
}
