/// Names a lane: the queue, order, sequence numbers, session and account of one client identity.
///
/// Instances and processes that use one state folder and one identity share the lane. Credentials are not part of it.
package struct LaneIdentity: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Sessions with a backend: `MobileTracker`.
        case session
        /// Batches: `AnalyticsClient`.
        case batch
        /// Small groups to one endpoint: `BasicTracker`.
        case endpoint
    }

    package let kind: Kind
    /// Whose lane it is: the brand's number, a fingerprint of the write key, or empty. It is never a secret.
    package let owner: String
    /// The canonical base URL or endpoint.
    package let origin: String

    package init(kind: Kind, owner: String, origin: String) {
        self.kind = kind
        self.owner = owner
        self.origin = origin
    }
}
