import TrackerModels
import TrackerStorage

/// The figures of a lane, as metrics show them. They are the values of its account and its debug information.
package struct QueueMetrics: Sendable {
    /// The engine that delivers it: clients that share it have these figures in common. `nil` for a lane that was only
    /// read from its folder.
    var engine: ObjectIdentifier?
    /// The counters; `nil` if the disk cannot be read.
    var counters: Counters?
    /// What waits; `nil` if the disk cannot be read.
    var queue: Queue?
    /// How many lanes the disk refuses, keep requests back and are halted: 0 or 1, until several are added up. `nil` if
    /// that is not known.
    var failingDisks: Int?
    var openBreakers: Int?
    var halts: Int?
    /// How long it took from a call to the server's 2xx, in this process.
    var deliveryTimes: DurationHistogram?

    /// The account of a lane, and the bytes of what was delivered.
    struct Counters: Sendable {
        var accepted: Int
        /// `nil` if the others count from the beginning of the lane.
        var recovered: Int?
        var requeued: Int
        var delivered: Int
        /// By the names of the reasons.
        var dropped: [String: Int]
        var bytes: WireBytes

        init(_ account: Account) {
            accepted = account.accepted
            recovered = account.recovered
            requeued = account.requeued
            delivered = account.delivered
            dropped = account.dropped.named
            bytes = account.bytes
        }

        init(_ lane: StateInspection.Lane) {
            accepted = lane.accepted
            requeued = lane.requeued
            delivered = lane.delivered
            dropped = Dictionary(lane.dropped.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
            bytes = lane.bytes
        }

        static func + (one: Counters, other: Counters) -> Counters {
            var both = one
            both.accepted += other.accepted
            both.recovered = sum(one.recovered, other.recovered, by: +)
            both.requeued += other.requeued
            both.delivered += other.delivered
            both.dropped.merge(other.dropped, uniquingKeysWith: +)
            both.bytes.before += other.bytes.before
            both.bytes.after += other.bytes.after
            return both
        }
    }

    /// What is on disk of a lane at the moment.
    struct Queue: Sendable {
        var records: Int
        var bytes: Int
        /// When the call of the oldest of them was made.
        var oldest: Timestamp?
        /// What the server has refused and is kept, by the names of the reasons.
        var refused: [String: Int]
        var refusedBytes: Int

        static func + (one: Queue, other: Queue) -> Queue {
            var both = one
            both.records += other.records
            both.bytes += other.bytes
            both.oldest = sum(one.oldest, other.oldest, by: min)
            both.refused.merge(other.refused, uniquingKeysWith: +)
            both.refusedBytes += other.refusedBytes
            return both
        }
    }

    /// The figures of an open lane.
    init(_ lane: DeliveryParts) {
        let engine = lane.engine.snapshot
        self.engine = ObjectIdentifier(lane.engine)
        openBreakers = engine.circuit == .closed ? 0 : 1
        halts = engine.halt == nil ? 0 : 1
        deliveryTimes = lane.engine.recorder.deliveryTimes
        do throws(StorageError) {
            let reading = try lane.read()
            counters = Counters(reading.account)
            queue = Queue(
                records: reading.account.queued, bytes: reading.state.queuedBytes,
                oldest: reading.state.oldestOccurredAt, refused: reading.refused.reasons.named,
                refusedBytes: reading.refused.bytes)
            failingDisks = reading.isDiskFailing ? 1 : 0
        } catch {
            if error.kind == .closed {
                // Its last figures were kept.
                (openBreakers, halts, deliveryTimes) = (nil, nil, nil)
            } else {
                failingDisks = 1
            }
        }
    }

    /// The counters of a lane that a reset has closed.
    init(_ account: Account) {
        counters = Counters(account)
    }

    /// The figures of a lane as its folder shows them.
    init(_ lane: StateInspection.Lane) {
        counters = Counters(lane)
        queue = Queue(
            records: lane.queued, bytes: lane.queuedBytes, oldest: lane.oldest, refused: lane.refused.reasons.named,
            refusedBytes: lane.refused.bytes)
        halts = lane.halt == nil ? 0 : 1
    }

    /// What stays of them once the lane is closed: what it has counted, and at the end of the process also how it was left.
    func closed(forGood isForGood: Bool) -> QueueMetrics {
        var closed = self
        closed.engine = nil
        guard !isForGood else { return closed }
        closed.queue = nil
        (closed.failingDisks, closed.openBreakers, closed.halts) = (nil, nil, nil)
        return closed
    }

    /// The figures of two lanes of one kind of client together.
    static func + (one: QueueMetrics, other: QueueMetrics) -> QueueMetrics {
        var both = one
        both.engine = nil
        both.counters = sum(one.counters, other.counters, by: +)
        both.queue = sum(one.queue, other.queue, by: +)
        both.failingDisks = sum(one.failingDisks, other.failingDisks, by: +)
        both.openBreakers = sum(one.openBreakers, other.openBreakers, by: +)
        both.halts = sum(one.halts, other.halts, by: +)
        both.deliveryTimes = sum(one.deliveryTimes, other.deliveryTimes, by: +)
        return both
    }
}

/// The sum of what is known of two.
private func sum<Value>(_ one: Value?, _ other: Value?, by add: (Value, Value) -> Value) -> Value? {
    guard let one, let other else { return one ?? other }
    return add(one, other)
}

extension [DropReason: Int] {
    /// The counts by the names that the reasons have in debug information.
    var named: [String: Int] { Dictionary<String, Int>(uniqueKeysWithValues: map { ($0.key.description, $0.value) }) }
}

extension [RefusalReason: Int] {
    /// The counts by the names that the reasons have in outcomes.
    var named: [String: Int] { Dictionary<String, Int>(uniqueKeysWithValues: map { ($0.key.rawValue, $0.value) }) }
}
