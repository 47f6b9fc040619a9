import TrackerModels

/// The record of a call in its group. It refers to nothing but places there, so to copy it costs no counting of
/// references.
struct StagedRecord: Sendable {
    enum Body: Sendable {
        case complete(BytePlace)
        /// `headEnd` is where the members before `data` end.
        case withSessionMetadata(BytePlace, headEnd: Int)
        /// Some of the group's pieces, and how many bytes of them are known by now.
        case template(BytePlace, byteCount: Int)
    }

    var messageID: BytePlace
    let hasCallerKey: Bool
    let route: Route
    var body: Body
    var sessionMetadata: BytePlace?
    /// One of the group's values.
    var values: Int?
    let isPending: Bool
    let refusal: RefusalReason?
    /// Whether the record was dropped before it was written, since too much waits: only what else the call changes is
    /// written.
    var isEvicted = false
    let occurredAt: Timestamp
    let acceptedAt: Duration
    var weight: Int
    var owner: Int?
    let number: Int
    var name: BytePlace
    let isNoted: Bool
    var receiver: Int?
    let call: Int
    var promise: BytePlace

    /// Whether the call changes something besides the queue. That must outlive a loss of power, and counts only with its
    /// backup.
    var isLasting: Bool { values != nil || sessionMetadata != nil }
}

/// A range of a group's bytes, or of another of its arrays.
struct BytePlace: Sendable {
    private let start: UInt32
    private let count: UInt32

    init(_ start: Int, _ count: Int) { (self.start, self.count) = (UInt32(start), UInt32(count)) }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    var isEmpty: Bool { count == 0 }
}

/// A piece of a body that is written when its record is committed.
enum BodyPiece: Sendable {
    /// Members as they are.
    case fixed(BytePlace)
    /// One of the group's parts.
    case part(Int)
}
