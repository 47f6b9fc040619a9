import TrackerStorage

/// A kind of client, by the name that it has over the bridge.
package enum ClientName: String, Hashable, Sendable, CaseIterable {
    case tracker, analytics, basic

    init(_ kind: LaneIdentity.Kind) {
        self =
            switch kind {
            case .session: .tracker
            case .batch: .analytics
            case .endpoint: .basic
            }
    }
}
