import TrackerModels

/// An object that is written when its record is committed, with the values that the lane has then.
///
/// So a record has the user that the changes before it have set, in whichever process they were made.
package struct BodyTemplate: Sendable {
    package enum Member: Sendable {
        /// The members of an object, as they are.
        case fixed(JSONText)
        case part(Part)

        /// The text that is stored under a key. If there is none, it is `otherwise`, or the member is left out.
        package static func value(_ name: String, _ key: StoredKey, otherwise: JSONText? = nil) -> Member {
            .part(Part(name, .value(key, otherwise: otherwise)))
        }

        /// The id that is stored under a key. If there is none, a UUID is made and stored.
        package static func id(_ name: String, _ key: StoredKey) -> Member { .part(Part(name, .id(key))) }

        /// An object. Left out if it would be empty.
        package static func object(_ name: String, _ template: BodyTemplate) -> Member {
            .part(Part(name, .object(template)))
        }
    }

    /// A member that the lane's values decide. A class, since many templates have the same one: a transaction writes it
    /// once for all its records.
    package final class Part: Sendable {
        enum Content: Sendable {
            case value(StoredKey, otherwise: JSONText?)
            case id(StoredKey)
            case object(BodyTemplate)
        }

        let name: String
        let content: Content
        /// How many bytes of it are known by now.
        let byteCount: Int

        init(_ name: String, _ content: Content) {
            self.name = name
            self.content = content
            let bytes =
                switch content {
                case .value, .id: 40
                case .object(let template): 4 + template.byteCount
                }
            byteCount = name.utf8.count + bytes
        }
    }

    let members: [Member]
    /// How many bytes of it are known by now.
    let byteCount: Int

    package init(_ members: [Member]) {
        self.members = members
        byteCount = members.reduce(2) { sum, member in
            switch member {
            case .fixed(let object): sum + object.byteCount
            case .part(let part): sum + part.byteCount
            }
        }
    }
}
