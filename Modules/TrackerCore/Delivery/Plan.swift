import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One request to send.
struct Plan: Sendable {
    enum Purpose: Hashable, Sendable {
        /// Makes the session of a generation. Carries no records.
        case session(Generation)
        /// Identifies the user of a generation's session. Carries no records, but stands for the first.
        case identify(UserID)
        case records
    }

    var purpose: Purpose
    var request: HTTPRequest
    /// The records it carries or stands for, oldest first.
    var records: [Record]
    /// The generation it is sent for.
    var generation: Generation
    var session: SessionID?
    /// Whether the generation was the lane's current one when the request was built.
    var isCurrent: Bool
    /// The records that its key names, if it carries a group. They must be on disk as a group before it is sent.
    var group: GroupExtent?
    /// What it carries that is neither stored nor logged: the key, and the values of the program's headers.
    var secrets: [Secret] = []

    /// Whether no other request may be under way beside it. Only events may: for them order is traded for speed.
    var isExclusive: Bool { purpose != .records || records.contains { $0.route.isBarrier } }

    /// The beginning of an answer's body, in which secrets that the server repeats are masked. Those of less than 4 characters
    /// could be parts of any word, and stay.
    func masked(_ body: [UInt8]) -> [UInt8] {
        var text = String(decoding: body.prefix(16_384), as: UTF8.self)
        for secret in secrets where secret.reveal().count >= 4 {
            text = text.replacingMark(secret.reveal(), with: secret.masked)
        }
        return Array(text.utf8)
    }

    /// Where it goes: the name and port of its URL.
    var server: String { String(WebURL(request.url).authority) }

    /// Whether it may be under way beside another: one generation is sent before the next one.
    func mayJoin(_ other: Plan) -> Bool {
        !isExclusive && !other.isExclusive && generation == other.generation
    }
}
