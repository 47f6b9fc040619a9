import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("The text of the metrics")
struct MetricsTextTests {
    private let account = Account(
        accepted: 9, recovered: 1, requeued: 2, delivered: 5, queued: 3, dropped: [.rejected(422): 3, .evicted: 1],
        bytes: WireBytes(before: 400, after: 100))

    @Test("has a line for each value, with its help and its kind, and an end")
    func values() {
        let metrics = ClientMetrics(refusedCalls: [.queueFull: 4, .invalidValue: 1], lane: QueueMetrics(account))

        #expect(
            MetricsText([(.basic, metrics)]).text.split(separator: "\n").filter { !$0.hasPrefix("# HELP") } == [
                "# TYPE mobile_tracker_accepted_records_total counter",
                #"mobile_tracker_accepted_records_total{client="basic"} 9"#,
                "# TYPE mobile_tracker_recovered_records_total counter",
                #"mobile_tracker_recovered_records_total{client="basic"} 1"#,
                "# TYPE mobile_tracker_requeued_records_total counter",
                #"mobile_tracker_requeued_records_total{client="basic"} 2"#,
                "# TYPE mobile_tracker_delivered_records_total counter",
                #"mobile_tracker_delivered_records_total{client="basic"} 5"#,
                "# TYPE mobile_tracker_dropped_records_total counter",
                #"mobile_tracker_dropped_records_total{client="basic",reason="evicted"} 1"#,
                #"mobile_tracker_dropped_records_total{client="basic",reason="rejected(422)"} 3"#,
                "# TYPE mobile_tracker_refused_calls_total counter",
                #"mobile_tracker_refused_calls_total{client="basic",reason="INVALID_VALUE"} 1"#,
                #"mobile_tracker_refused_calls_total{client="basic",reason="QUEUE_FULL"} 4"#,
                "# TYPE mobile_tracker_body_bytes_total counter",
                #"mobile_tracker_body_bytes_total{client="basic"} 400"#,
                "# TYPE mobile_tracker_sent_bytes_total counter",
                #"mobile_tracker_sent_bytes_total{client="basic"} 100"#,
                "# EOF",
            ])
    }

    @Test("shows what waits, since when, and how long deliveries took")
    func queue() {
        var lane = QueueMetrics(account)
        lane.queue = QueueMetrics.Queue(
            records: 3, bytes: 70, oldest: Timestamp(milliseconds: 1_700_000_000_050), refused: ["poison": 2],
            refusedBytes: 33)
        (lane.openBreakers, lane.halts, lane.failingDisks) = (1, 0, 0)
        var times = DurationHistogram()
        times.record(.milliseconds(20))
        times.record(.seconds(400_000))
        lane.deliveryTimes = times

        let text = MetricsText([(.tracker, ClientMetrics(lane: lane))]).text
        let lines = Set(text.split(separator: "\n").map(String.init))

        for line in [
            #"mobile_tracker_queued_records{client="tracker"} 3"#, #"mobile_tracker_queued_bytes{client="tracker"} 70"#,
            #"mobile_tracker_oldest_queued_timestamp_seconds{client="tracker"} 1700000000.05"#,
            #"mobile_tracker_refused_records{client="tracker",reason="poison"} 2"#,
            #"mobile_tracker_refused_bytes{client="tracker"} 33"#, #"mobile_tracker_breakers_open{client="tracker"} 1"#,
            #"mobile_tracker_deliveries_halted{client="tracker"} 0"#,
            #"mobile_tracker_delivery_seconds_bucket{client="tracker",le="0.01"} 0"#,
            #"mobile_tracker_delivery_seconds_bucket{client="tracker",le="0.025"} 1"#,
            #"mobile_tracker_delivery_seconds_bucket{client="tracker",le="259200.0"} 1"#,
            #"mobile_tracker_delivery_seconds_bucket{client="tracker",le="+Inf"} 2"#,
            #"mobile_tracker_delivery_seconds_sum{client="tracker"} 400000.02"#,
            #"mobile_tracker_delivery_seconds_count{client="tracker"} 2"#,
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("leaves out what is not known: the disk cannot be read")
    func unknown() {
        var lane = QueueMetrics(account)
        (lane.counters, lane.failingDisks) = (nil, 1)

        #expect(
            MetricsText([(.tracker, ClientMetrics(lane: lane))]).text == """
                # HELP mobile_tracker_disks_failing Number of queues that cannot be written to disk.
                # TYPE mobile_tracker_disks_failing gauge
                mobile_tracker_disks_failing{client="tracker"} 1
                # EOF

                """)
    }

    @Test("adds up the lanes of one kind of client, and counts one that clients share once")
    func sums() {
        final class Engine: Sendable {}
        let engine = Engine()
        var (shared, other) = (QueueMetrics(account), QueueMetrics(account))
        shared.engine = ObjectIdentifier(engine)
        shared.queue = QueueMetrics.Queue(
            records: 1, bytes: 1, oldest: Timestamp(milliseconds: 9_000), refused: [:], refusedBytes: 0)
        other.queue = QueueMetrics.Queue(
            records: 1, bytes: 1, oldest: Timestamp(milliseconds: 8_000), refused: [:], refusedBytes: 0)
        let clients = [shared, shared, other].map { ClientMetrics(refusedCalls: [.queueFull: 1], lane: $0) }

        let text = MetricsText(clients.map { (.analytics, $0) }).text

        #expect(text.contains(#"mobile_tracker_accepted_records_total{client="analytics"} 18"#))
        #expect(text.contains(#"mobile_tracker_dropped_records_total{client="analytics",reason="evicted"} 2"#))
        #expect(text.contains(#"mobile_tracker_oldest_queued_timestamp_seconds{client="analytics"} 8.0"#))
        #expect(text.contains(#"mobile_tracker_refused_calls_total{client="analytics",reason="QUEUE_FULL"} 3"#))
    }

    @Test("is empty without clients")
    func nothing() {
        #expect(MetricsText([]).text == "# EOF\n")
        #expect(MetricsText([(.tracker, ClientMetrics())]).text == "# EOF\n")
    }

    @Test("names each metric once, and counters as counters are named")
    func names() {
        let families = MetricFamily.all

        #expect(Set(families.map(\.name)).count == families.count)
        #expect(families.allSatisfy { ($0.kind == .counter) == $0.name.hasSuffix("_total") })
        #expect(families.allSatisfy { $0.help.hasSuffix(".") && !$0.help.contains("\n") && !$0.help.contains("\\") })
    }
}
