import TrackerModels
import TrackerStorage

/// One metric, whichever clients have values of it: what it is called, what it means, and what it is of a client.
///
/// The names and their meanings are part of the product, as those of methods are: alerts are written with them.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A value of a client.
    enum Sample: Sendable {
        case number(Int)
        case seconds(Duration)
        case reasons([String: Int])
        case histogram(DurationHistogram)
    }

    package let name: String
    package let kind: Kind
    /// What it is, in a sentence.
    package let help: String
    /// Its value; `nil` if a client has none.
    let sample: @Sendable (ClientMetrics) -> Sample?

    /// Every metric, in the order in which they are written: the only list there is.
    package static let all = [
        counter("accepted_records", "Records (calls to be sent) that were written to the queue.") {
            $0.counters?.accepted
        },
        counter("recovered_records", "Records that already waited in the queue when its client opened it.") {
            $0.counters?.recovered
        },
        counter("requeued_records", "Records that were queued again, by command, after the server had refused them.") {
            $0.counters?.requeued
        },
        counter("delivered_records", "Records that the server has answered with 2xx.") { $0.counters?.delivered },
        reasons(
            .counter, "dropped_records_total", "Records that left the queue without being delivered, by reason."
        ) { $0.counters?.dropped },
        MetricFamily("refused_calls_total", .counter, "Calls that were refused when they were made, by reason.") {
            .reasons($0.refusedCalls.named)
        },
        counter("body_bytes", "Size of the bodies of delivered requests before compression, in bytes.") {
            $0.counters?.bytes.before
        },
        counter("sent_bytes", "Size of the bodies of delivered requests as they were sent, in bytes.") {
            $0.counters?.bytes.after
        },
        gauge("queued_records", "Records that wait in the queue to be sent.") { $0.queue?.records },
        gauge("queued_bytes", "Size of the records that wait in the queue, in bytes before compression.") {
            $0.queue?.bytes
        },
        MetricFamily(
            "oldest_queued_timestamp_seconds", .gauge,
            "When the call of the oldest waiting record was made, in seconds since 1970; its age is time() minus this."
        ) { $0.lane?.queue?.oldest.map { .seconds(.milliseconds($0.milliseconds)) } },
        reasons(
            .gauge, "refused_records",
            "Records that the server has refused for good and that are kept apart, by reason."
        ) {
            $0.queue?.refused
        },
        gauge("refused_bytes", "Size of the refused records that are kept apart, in bytes before compression.") {
            $0.queue?.refusedBytes
        },
        gauge(
            "breakers_open",
            "Number of queues that pause because several requests in a row have failed (the circuit breaker is open).",
            \.openBreakers),
        gauge(
            "deliveries_halted", "Number of queues that are halted because the server refuses the key or the address.",
            \.halts),
        gauge("disks_failing", "Number of queues that cannot be written to disk.", \.failingDisks),
        MetricFamily(
            "delivery_seconds", .histogram,
            "Time from a call to the 2xx answer for its record, in seconds, of what this process has delivered."
        ) { $0.lane?.deliveryTimes.map { .histogram($0) } },
    ]

    private init(
        _ name: String, _ kind: Kind, _ help: String, sample: @escaping @Sendable (ClientMetrics) -> Sample?
    ) {
        self.name = "mobile_tracker_" + name
        self.kind = kind
        self.help = help
        self.sample = sample
    }

    private static func counter(
        _ name: String, _ help: String, _ value: @escaping @Sendable (QueueMetrics) -> Int?
    ) -> MetricFamily {
        MetricFamily(name + "_total", .counter, help) { $0.lane.flatMap(value).map { .number($0) } }
    }

    private static func gauge(
        _ name: String, _ help: String, _ value: @escaping @Sendable (QueueMetrics) -> Int?
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help) { $0.lane.flatMap(value).map { .number($0) } }
    }

    private static func reasons(
        _ kind: Kind, _ name: String, _ help: String, _ value: @escaping @Sendable (QueueMetrics) -> [String: Int]?
    ) -> MetricFamily {
        MetricFamily(name, kind, help) { $0.lane.flatMap(value).map { .reasons($0) } }
    }
}
