import JSONRPC
import Synchronization
import TrackerJSON

/// Replies that are kept until a test wants them answered.
final class HeldReplies: Sendable {
    private let replies = Mutex<[Reply]>([])

    /// How many are kept.
    var count: Int { replies.withLock(\.count) }

    func append(_ reply: Reply) {
        replies.withLock { $0.append(reply) }
    }

    /// Answers those that are kept.
    func answerAll() {
        let answered = replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
        for reply in answered { reply.succeed(with: .emptyObject) }
    }
}
