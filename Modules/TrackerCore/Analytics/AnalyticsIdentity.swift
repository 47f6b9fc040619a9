import TrackerModels
import TrackerStorage

/// Who events are from. It is kept on disk, where each event finds it when it is committed.
extension StoredKey {
    /// The installation, before anyone is identified: a UUID.
    static let anonymousID = StoredKey.own("anonymous_id")
    static let userID = StoredKey.own("user_id")
    static let groupID = StoredKey.own("group_id")
    static let advertisingID = StoredKey.own("advertising_id")
}

extension AnalyticsCall {
    /// What the call changes of who events are from: of its own event too.
    var changes: [ValueChange] {
        switch self {
        case .identify(let userId, _), .alias(let userId): [ValueChange(.userID, userId)]
        case .group(let groupId, _): [ValueChange(.groupID, groupId)]
        case .setAdvertisingId(let id): [ValueChange(.advertisingID, id)]
        case .track, .screen, .page: []
        }
    }
}
