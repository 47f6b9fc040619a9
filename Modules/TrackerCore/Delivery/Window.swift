/// A part of the queue's front.
struct Window: Hashable, Sendable {
    var records: Int
    var bytes: Int

    /// The lane alone, without a record.
    static let nothing = Window(records: 0, bytes: 0)

    /// How much of the queue's front is read at once where each record travels alone.
    static let ahead = Window(records: 128, bytes: 256 << 10)
}
