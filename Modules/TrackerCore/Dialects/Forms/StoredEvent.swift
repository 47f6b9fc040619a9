import TrackerModels
import TrackerStorage

/// An event of an analytics client as it waits in the queue, taken apart: what every form begins with.
struct StoredEvent: Sendable {
    /// The call that it was.
    enum Kind: String, Hashable, Sendable {
        case track, identify, group, screen, page, alias
    }

    let kind: Kind
    /// The name of a track, screen or page.
    let name: JSONText?
    /// The user; of an alias the new one.
    let userID: JSONText?
    let anonymousID: JSONText?
    let groupID: JSONText?
    /// Properties or traits, an object.
    let values: JSONText
    let context: JSONText
    /// When the call was made, or the time that it was given.
    let time: Timestamp
    let messageID: MessageID
    /// When the call was made.
    let occurredAt: Timestamp

    /// Takes a record apart; `nil` if it is no event of an analytics client.
    init?(_ record: Record) {
        var members: [String: JSONText] = [:]
        for member in record.body.members { members[member.key] = member.value }
        guard let kind = members["type"]?.stringValue.flatMap(Kind.init) else { return nil }
        self.kind = kind
        name = members["event"]
        userID = members["userId"]
        anonymousID = members["anonymousId"]
        groupID = members["groupId"]
        values = members["properties"] ?? members["traits"] ?? .emptyObject
        context = members["context"] ?? .emptyObject
        time = members["timestamp"]?.stringValue.flatMap { Timestamp($0) } ?? record.occurredAt
        messageID = record.messageID
        occurredAt = record.occurredAt
    }

    /// Whom an alias gives its new id: the anonymous id, which a vendor has linked with the former user.
    func previous() throws(Inexpressible) -> JSONText {
        guard let previous = anonymousID else {
            throw Inexpressible(reason: "the alias names nobody who gets the new id")
        }
        return previous
    }
}
