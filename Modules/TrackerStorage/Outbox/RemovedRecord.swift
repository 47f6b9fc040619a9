import TrackerModels

/// A record that leaves the queue, and what is accounted for it.
package struct RemovedRecord: Hashable, Sendable {
    package let id: Record.ID
    let messageID: String
    /// Whether a caller chose the key, which is then remembered for a while.
    let hasCallerKey: Bool
    /// The bytes of its body.
    let byteCount: Int

    /// A record that was read from the queue.
    package init(_ record: Record) {
        id = record.id
        messageID = record.messageID.text
        hasCallerKey = record.hasCallerKey
        byteCount = record.body.bytes.count
    }

    /// Reads the columns `id`, `message_id`, `has_caller_key` and `bytes`.
    init(_ row: Statement.Row) {
        id = Record.ID(row.int64("id"))
        messageID = row.text("message_id") ?? ""
        hasCallerKey = row.int64("has_caller_key") != 0
        byteCount = row.int("bytes")
    }
}
