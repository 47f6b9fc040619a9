import TrackerModels
import TrackerStorage

/// What an answer means.
enum Verdict: Sendable {
    /// The plan's records have arrived; the changes come with them.
    case delivered([LaneChange])
    /// A step before the records is done; the changes must be on disk before the next.
    case progress([LaneChange])
    /// The records stay at the front, and the breaker counts a failure. The wait is at least `floor`.
    case retry(floor: Duration, String)
    /// The same records again at once, in smaller groups.
    case regroup
    /// These can never be delivered.
    case discard(DropReason, String)
    /// The answer names the records that can never be delivered.
    case refused([Record], DropReason, others: Others, String)
    /// Nothing can be delivered with these credentials; the queue is kept. The sentence says why.
    case halt(String, isKeyRefused: Bool)
    /// Nothing can be delivered, and the queue is dropped. The sentence says why.
    case disable(String)
}

extension Verdict {
    /// What has become of the records that an answer does not name.
    enum Others: Hashable, Sendable {
        case delivered
        /// They go again, not before that time has passed.
        case again(after: Duration)

        /// They go again at once.
        static let wait = Others.again(after: .zero)
    }

    /// Whether it is about the credentials, and not about what is sent.
    var isOfCredentials: Bool {
        switch self {
        case .halt, .disable: true
        case .delivered, .progress, .retry, .regroup, .discard, .refused: false
        }
    }
}
