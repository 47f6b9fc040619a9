import TrackerNetworking

/// Notices that events come in faster than they are delivered, though deliveries succeed.
///
/// It looks at the queue every ten seconds. When the queue has grown from look to look for a minute, by more than the
/// deliveries that may wait to be recorded, it warns: once, until the queue is empty again.
struct QueueGrowth: Sendable {
    struct Warning: Hashable, Sendable {
        /// Events a second that came in.
        var accepted: Double
        /// Events a second that were delivered.
        var delivered: Double
        var queued: Int

        /// For a developer: both rates, and what to do.
        var message: String {
            "The queue grows: \(Self.text(accepted)) events a second come in, \(Self.text(delivered)) are delivered, and "
                + "\(queued) wait. Raise maxConcurrentRequests (events may then arrive out of order), have the backend "
                + "answer faster, or track less; past maxQueuedEvents the queue is full."
        }

        private static func text(_ rate: Double) -> String {
            let tenths = Int((rate * 10).rounded())
            return tenths >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        }
    }

    private struct Look: Sendable {
        var at: MonotonicInstant
        var queued: Int
        var delivered: Int
    }

    private static let interval = Duration.seconds(10)
    private static let span = Duration.seconds(60)
    /// More than the deliveries that one commit records.
    private static let noise = 100

    /// The first and the last look since which it has only grown.
    private var first: Look?
    private var last: Look?
    private var hasWarned = false

    /// Looks at the queue, and warns when it has grown for a minute.
    ///
    /// - Parameters:
    ///   - queued: How many events wait.
    ///   - delivered: How many have been delivered so far, in all.
    mutating func warning(queued: Int, delivered: Int, at now: MonotonicInstant) -> Warning? {
        guard queued > 0 else {
            self = QueueGrowth()
            return nil
        }
        let look = Look(at: now, queued: queued, delivered: delivered)
        guard let first, let last else {
            begin(with: look)
            return nil
        }
        guard last.at.duration(to: now) >= Self.interval else { return nil }
        guard queued > last.queued, delivered > last.delivered else {
            begin(with: look)
            return nil
        }
        self.last = look
        let time = first.at.duration(to: now)
        guard !hasWarned, time >= Self.span, queued > first.queued + Self.noise else { return nil }
        hasWarned = true
        let seconds = time / .seconds(1)
        let sent = delivered - first.delivered
        return Warning(
            accepted: Double(sent + queued - first.queued) / seconds, delivered: Double(sent) / seconds,
            queued: queued)
    }

    /// A delivery failed: the queue grows because of an outage then.
    mutating func interrupt() {
        first = nil
        last = nil
    }

    private mutating func begin(with look: Look) {
        first = look
        last = look
    }
}
