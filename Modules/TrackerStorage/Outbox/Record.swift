package import TrackerModels

/// A record as its client makes it. A class, since it is handed on often and copied never.
package final class Draft: Sendable {
    /// The JSON that a record will carry.
    package enum Body: Sendable {
        /// An object. What is known only when it is sent, such as the session, is added then.
        case complete(JSONText)
        /// An object in whose member `data` the session's metadata are, as the commit finds them.
        case withSessionMetadata(EventBody)
        /// An object that the commit writes, with the lane's values after the changes in `values`.
        case template(BodyTemplate)

        /// How many bytes of it are known by now.
        var byteCount: Int {
            switch self {
            case .complete(let body): body.byteCount
            case .withSessionMetadata(let body): body.text.byteCount
            case .template(let template): template.byteCount
            }
        }
    }

    package let messageID: MessageID
    /// Whether a caller chose the key: then a second record with it is answered as the first and not queued.
    package let hasCallerKey: Bool
    package let route: Route
    package let body: Body
    /// An object to merge into the session's metadata in the record's own transaction.
    package let sessionMetadata: JSONText?
    /// What the record changes of the client's own values, in its own transaction.
    package let values: [ValueChange]
    /// Whether the record is answered as `pending`, since delivery is halted.
    package let isPending: Bool
    /// Why the record is not queued. If a caller chose the key and it was used before, the answer is the first one.
    package let refusal: RefusalReason?
    /// When the call was made, by the wall clock.
    package let occurredAt: Timestamp
    /// When the call was made, on the monotonic clock, for ages within this run.
    package let acceptedAt: Duration

    package init(
        messageID: MessageID, hasCallerKey: Bool = false, route: Route, body: Body, sessionMetadata: JSONText? = nil,
        values: [ValueChange] = [], isPending: Bool = false, refusal: RefusalReason? = nil, occurredAt: Timestamp,
        acceptedAt: Duration
    ) {
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.route = route
        self.body = body
        self.sessionMetadata = sessionMetadata
        self.values = values
        self.isPending = isPending
        self.refusal = refusal
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }

    /// The call, answered as `pending`.
    package var pending: Draft {
        Draft(
            messageID: messageID, hasCallerKey: hasCallerKey, route: route, body: body,
            sessionMetadata: sessionMetadata, values: values, isPending: true, refusal: refusal,
            occurredAt: occurredAt, acceptedAt: acceptedAt)
    }
}

/// A call in the outbox, as it waits on disk.
package struct Record: Hashable, Sendable {
    /// The number of its row, unique in the database.
    package struct ID: Hashable, Comparable, Sendable {
        package let number: Int64

        package init(_ number: Int64) { self.number = number }

        package static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }
    }

    package var id: ID
    package var messageID: MessageID
    /// Whether a caller chose the key.
    package var hasCallerKey: Bool
    /// Its number in the lane, counting from 1, never used twice.
    package var sequence: Int64
    /// The generation it was made in.
    package var generation: Generation
    package var route: Route
    /// A JSON object. What is known only when it is sent, such as the session, is added then.
    package var body: JSONText
    /// When the call was made, by the wall clock.
    package var occurredAt: Timestamp
    /// When the call was made on the monotonic clock, if it was made in this run of this process.
    package var acceptedAt: Duration?

    package init(
        id: ID, messageID: MessageID, hasCallerKey: Bool = false, sequence: Int64, generation: Generation, route: Route,
        body: JSONText, occurredAt: Timestamp, acceptedAt: Duration?
    ) {
        self.id = id
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.sequence = sequence
        self.generation = generation
        self.route = route
        self.body = body
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }
}

/// Where a record goes: which request carries it.
///
/// The number is kept on disk, so it never changes for a case.
package enum Route: Int, Hashable, Sendable, CaseIterable {
    /// A session's event.
    case event = 1
    /// A customer profile, and before it, if it names a new user, the identification.
    case profile = 2
    /// A session's metadata, which are sent as part of the customer profile.
    case metadata = 3
    /// A session's place.
    case location = 4
    /// A session's email address.
    case email = 5
    /// A link from another session to this one.
    case link = 6
    /// An event that travels in a batch.
    case batch = 7
    /// An event that travels in a small group to one endpoint.
    case endpoint = 8
}

/// An object whose last member is `data`: the session's metadata, and over them the call's own. If there are none, the
/// member is left out.
///
/// It is written when the call is made, for a session without metadata, as most have none.
package struct EventBody: Sendable {
    /// The object for a session without metadata.
    package let text: JSONText
    /// Where the members before `data` end.
    let headEnd: Int

    /// - Parameters:
    ///   - head: The members before `data`.
    ///   - first: Members of `data`.
    ///   - second: More of them, which win.
    package init(_ head: consuming JSONObjectWriter, data first: JSONText?, _ second: JSONText? = nil) {
        var writer = head
        headEnd = writer.byteCount
        switch (first?.withMembers, second?.withMembers) {
        case (let first?, let second?): writer.append("data", merging: first, second)
        case (let own?, nil), (nil, let own?): writer.append("data", own)
        case (nil, nil): break
        }
        text = writer.finish()
    }

    /// Takes up a body that was written before.
    init(_ text: JSONText, headEnd: Int) { (self.text, self.headEnd) = (text, headEnd) }

    /// The object for a session with these metadata, if it has any.
    func text(with metadata: JSONText?) -> JSONText {
        guard let metadata = metadata?.withMembers else { return text }
        var writer = JSONObjectWriter(
            resuming: text, after: headEnd, reservingCapacity: text.byteCount + metadata.byteCount + 16)
        let end = text.byteCount - 1
        if headEnd == end {
            writer.append("data", metadata)
        } else {
            let start = headEnd + #","data":"#.utf8.count
            writer.append("data", merging: metadata, JSONText(accepted: text.bytes[start..<end]))
        }
        return writer.finish()
    }
}

extension JSONText {
    /// This object, if it has members.
    fileprivate var withMembers: JSONText? { hasMembers ? self : nil }
}

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

    /// The parts, in their order.
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

package struct ValueChange: Hashable, Sendable {
    package var key: StoredKey
    /// The value; `nil` removes it.
    package var text: String?

    package init(_ key: StoredKey, _ text: String?) {
        self.key = key
        self.text = text
    }
}
