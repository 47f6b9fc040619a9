import TrackerModels
import TrackerStorage

/// Who events are from, as it is kept on disk.
struct AnalyticsIdentity: Hashable, Sendable {
    /// The installation, before anyone is identified: a UUID.
    var anonymousId: String
    var userId: String?
    var groupId: String?
    var advertisingId: Secret?

    /// Reads what is stored besides the anonymous id.
    init(anonymousId: String, from outbox: any Outbox) {
        self.anonymousId = anonymousId
        userId = outbox.value(for: .userID)
        groupId = outbox.value(for: .groupID)
        advertisingId = outbox.value(for: .advertisingID).map { Secret($0) }
    }

    init(anonymousId: String) { self.anonymousId = anonymousId }

    /// Takes note of a call that changes it, and says what that changes on disk.
    ///
    /// - Parameter generation: The lane's; what is said in one that has ended is not kept.
    mutating func note(_ call: AnalyticsCall, in generation: Generation) -> LaneChange? {
        switch call {
        case .identify(let userId, _), .alias(let userId):
            self.userId = userId
            return .store(.userID, userId, generation)
        case .group(let groupId, _):
            self.groupId = groupId
            return .store(.groupID, groupId, generation)
        case .setAdvertisingId(let id?):
            advertisingId = Secret(id)
            return .store(.advertisingID, id, generation)
        case .setAdvertisingId(nil):
            advertisingId = nil
            return .remove(.advertisingID)
        case .track, .screen, .page, .unwritable:
            return nil
        }
    }
}

extension StoredKey {
    static let anonymousID = StoredKey.own("anonymous_id")
    static let userID = StoredKey.own("user_id")
    static let groupID = StoredKey.own("group_id")
    static let advertisingID = StoredKey.own("advertising_id")
}
