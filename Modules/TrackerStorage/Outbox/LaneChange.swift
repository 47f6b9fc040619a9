package import TrackerModels

/// One thing that changes a lane.
///
/// Changes take effect in the order in which they are staged.
package enum LaneChange: Sendable {
    case append(Draft)
    /// Continues the session of another site. A lane without a session takes it over, makes the tenant's device id, and
    /// answers `queued`. A lane with another session queues the record, which links the two. The current session
    /// changes nothing.
    indirect case continueSession(SessionID, link: Draft)
    /// Ends the generation: removes the lane's values and the tenant's device id, and drops the records without a
    /// session.
    ///
    /// With `all` it also removes the brand id and drops the records with a session. A reset with a `messageID` that
    /// has taken effect already does nothing.
    case reset(all: Bool, messageID: MessageID?)
    /// Sets the tenant's consent; a denial erases everything but the consent itself, in all lanes of the tenant.
    case consent(Consent, messageID: MessageID?)
    /// Ends the generation because its session has expired. It keeps the device id and drops nothing.
    case expire(Generation)
    /// Binds a generation to its session, or to another one that an answer names. For the current generation the stored
    /// session id changes as well. For an older one only its entry changes. A generation without records has no entry
    /// any more, and nothing changes.
    case bind(Generation, SessionID)
    /// Binds a generation to the session that was made for it, unless it already has one, such as one from another site
    /// that was taken over while the request was under way.
    case bindMade(Generation, SessionID)
    /// Unbinds a generation from a session that the server no longer knows, as its refusal of a record has shown. It
    /// has no effect if the generation is already bound to another session. A generation that has ended gets no other
    /// session: it keeps this one, and the record is dropped.
    case unbind(Generation, SessionID, refused: Record.ID, Rejection? = nil)
    /// Stores the user with whom the session of a generation was identified. For older generations it does what `bind`
    /// does.
    case identify(Generation, UserID)
    /// Erases what all lanes of the folder hold of these persons, and has their later calls refused. It is `changed` by as
    /// many records as were erased, or refused as `queueFull` if more persons would be forgotten than may be.
    case forget([Person])
    /// Has calls of these persons taken again. It is `changed` by as many as had been forgotten.
    case unforget([Person])
    /// Makes changes of the client's own values. One with a `messageID` that has taken effect already does nothing.
    case set([ValueChange], messageID: MessageID?)
    /// Stores a value under a key that has none.
    case ensure(StoredKey, String)
    /// Stores a value under a key of the lane or the tenant, unless the generation has ended.
    case store(StoredKey, String, Generation?)
    case remove(StoredKey)
    /// Removes records that were delivered.
    case delivered([RemovedRecord], bytes: WireBytes)
    /// Removes records that cannot be delivered, and counts why. What the server has refused is kept apart, with its
    /// answer.
    case drop([Record.ID], DropReason, Rejection? = nil)
    /// Queues records again that are kept apart, as far as there is room.
    case requeue([Record.ID])
    /// Removes records that are kept apart.
    case dropRefused([Record.ID])
    /// Removes every record of the lane and counts why.
    case dropAll(DropReason)
    /// Makes the tenant's device id if there is none, and gives it to the current generation.
    case ensureDevice
    /// Remembers which records are about to be sent in one request, so that the same ones are sent again under the same
    /// key after a crash. Replaces other groups of these records.
    case group(GroupExtent)
    /// Changes nothing: it is done once everything staged before it is on disk.
    case barrier
}
