import TrackerModels

/// Metrics of clients as text that Prometheus and its textfile collector read.
///
/// Labels are `client` and `reason` alone: no name of an event, a user or a key is in it.
package struct MetricsText: Sendable {
    /// One for each kind of client.
    private let clients: [(name: ClientName, metrics: ClientMetrics)]

    /// - Parameter clients: Several of one kind are added up; a lane that they share counts once.
    package init(_ clients: [(client: ClientName, metrics: ClientMetrics)]) {
        var sums: [ClientName: ClientMetrics] = [:]
        var engines: Set<ObjectIdentifier> = []
        for (client, metrics) in clients {
            var sum = sums[client] ?? ClientMetrics()
            sum.add(refusedCallsOf: metrics)
            if let lane = metrics.lane, lane.engine.map({ engines.insert($0).inserted }) ?? true {
                sum.lane = sum.lane.map { $0 + lane } ?? lane
            }
            sums[client] = sum
        }
        self.clients = ClientName.allCases.compactMap { name in sums[name].map { (name, $0) } }
    }

    package var text: String {
        var lines: [String] = []
        for family in MetricFamily.all {
            let samples = clients.flatMap { client in
                family.sample(client.metrics).map { Self.lines(family.name, client.name, $0) } ?? []
            }
            guard !samples.isEmpty else { continue }
            lines += ["# HELP \(family.name) \(family.help)", "# TYPE \(family.name) \(family.kind.rawValue)"]
            lines += samples
        }
        return (lines + ["# EOF\n"]).joined(separator: "\n")
    }

    private static func lines(_ name: String, _ client: ClientName, _ sample: MetricFamily.Sample) -> [String] {
        let label = #"client="\#(client.rawValue)""#
        switch sample {
        case .number(let number): return ["\(name){\(label)} \(number)"]
        case .seconds(let duration): return ["\(name){\(label)} \(duration.decimalSeconds)"]
        case .reasons(let counts):
            return counts.sorted { $0.key < $1.key }.map { #"\#(name){\#(label),reason="\#($0)"} \#($1)"# }
        case .histogram(let histogram):
            let bounds = DurationHistogram.bounds.map(\.decimalSeconds) + ["+Inf"]
            var count = 0
            let buckets = zip(bounds, histogram.counts).map { bound, more in
                count += more
                return #"\#(name)_bucket{\#(label),le="\#(bound)"} \#(count)"#
            }
            return buckets + [
                "\(name)_sum{\(label)} \(histogram.sum.decimalSeconds)", "\(name)_count{\(label)} \(count)",
            ]
        }
    }
}

extension Duration {
    /// Seconds with as many of three decimals as there are: `2.5`, `10.0`, `0.025`.
    fileprivate var decimalSeconds: String {
        let milliseconds = Int64(self / .milliseconds(1))
        let fraction = "\(1_000 + milliseconds % 1_000)".dropFirst()
        let last = fraction.lastIndex { $0 != "0" } ?? fraction.startIndex
        return "\(milliseconds / 1_000).\(fraction[...last])"
    }
}
