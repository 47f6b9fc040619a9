public import TrackerModels

/// An object that is written when its record is committed, with what the lane's values are by then.
///
/// So a record tells of the user that the changes before it have left, whichever process has made them.
public struct BodyTemplate: Sendable {
    /// A part of the object.
    public enum Member: Sendable {
        /// The members of an object, as they are.
        case fixed(JSONText)
        /// The text that a key holds; `otherwise`, or no member, if it holds none.
        case value(String, StoredKey, otherwise: JSONText? = nil)
        /// The id that a key holds. If it holds none a UUID is made and stored.
        case id(String, StoredKey)
        /// An object. Left out if it would be empty.
        case object(String, BodyTemplate)
    }

    /// The parts, in their order.
    public var members: [Member]

    /// Describes an object.
    public init(_ members: [Member]) { self.members = members }

    /// How many bytes of it are known by now.
    var byteCount: Int {
        members.reduce(2) { sum, member in
            switch member {
            case .fixed(let object): sum + object.byteCount
            case .value(let name, _, _), .id(let name, _): sum + name.utf8.count + 40
            case .object(let name, let template): sum + name.utf8.count + 4 + template.byteCount
            }
        }
    }
}

/// What a call makes of a value of the client's own.
public struct ValueChange: Hashable, Sendable {
    /// Which value.
    public var key: StoredKey
    /// The value; `nil` removes it.
    public var text: String?

    /// Describes a change.
    public init(_ key: StoredKey, _ text: String?) {
        self.key = key
        self.text = text
    }
}
