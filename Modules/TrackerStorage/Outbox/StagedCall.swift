package import TrackerModels

/// A call on its way into the outbox, with what its client must know of it once it is there.
package struct StagedCall: Sendable {
    package var draft: Draft
    package var owner: RecordOwner
    /// The client's number for it.
    package var number: Int
    /// What a log calls it.
    package var name: String
    /// Whether the client remembers something of it that a refusal takes back.
    package var isNoted: Bool
    package var caller: Caller

    package init(_ draft: Draft, of owner: RecordOwner, number: Int, name: String, isNoted: Bool, caller: Caller) {
        self.draft = draft
        self.owner = owner
        self.number = number
        self.name = name
        self.isNoted = isNoted
        self.caller = caller
    }
}
