import TrackerCore
import TrackerModels

/// What happens to the backend, and what the fleet asks of it when all is well.
///
/// Times are in milliseconds, which are the steps of the virtual clock.
struct Outage: Sendable {
    let clients: Int
    /// Between two events of a client.
    let period = 60_000
    /// When the backend goes down, and when it comes back.
    let start = 60_000
    let end = 660_000
    /// From a request to its answer, if the backend takes it, and if it refuses it.
    let roundTrip = 25...75
    let refusal = 5
    /// How much room the backend saves up while it is asked too little: what it would do in that time.
    let patience = 50
    /// The simulation gives up here.
    let limit = 40_000_000

    /// Requests a millisecond that the backend takes once it is back: a tenth more than the normal load.
    var capacity: Double { Double(clients) * 1.1 / Double(period) }
    /// Seconds that it takes at best until what was missed is delivered, besides what is new.
    var leastDrain: Int { (end - start) * 10 / 1000 }
}

/// A wait that is compared with others.
struct StormPolicy: Sendable {
    let name: String
    let breaker: CircuitBreaker.Policy

    init(_ name: String, _ options: DeliveryOptions) {
        self.name = name
        breaker = options.breaker
    }

    /// Two delays and two jitters, which have the same mean wait; and what else might help, with the default of the rest.
    static let all = [
        StormPolicy("0.25 s, ± 20 %", DeliveryOptions(retryDelay: .milliseconds(250), jitter: 0.2)),
        StormPolicy("0.25 s, full", DeliveryOptions(retryDelay: .milliseconds(250), jitter: 1)),
        StormPolicy("1 s, ± 20 %", DeliveryOptions(retryDelay: .seconds(1), jitter: 0.2)),
        StormPolicy("1 s, full", DeliveryOptions(retryDelay: .seconds(1), jitter: 1)),
        StormPolicy("opens at once", DeliveryOptions(failureThreshold: 1)),
        StormPolicy("cooldown 30 s", DeliveryOptions(cooldown: .seconds(30))),
    ]
}

/// What one simulation came to.
struct StormResult: Sendable {
    let policy: StormPolicy
    let outage: Outage
    /// Requests of each second, and how many of them the backend took.
    var offered: [Int] = []
    var taken: [Int] = []
    /// Seconds from the backend's return until nearly no client had a backlog; `nil` if that never came.
    var drainedAfter: Int?

    static let header = "waits            peak load   mean load   refused a client   drained after   at best"

    var row: String {
        let back = outage.end / 1000
        let last = min(offered.count, back + (drainedAfter ?? .max - back))
        let (asked, done) = (offered[back..<last], taken[back..<last])
        let capacity = outage.capacity * 1000
        let total = asked.reduce(0, +)
        return policy.name.padded(to: -14)
            + "\(Int(Double(asked.max() ?? 0) / capacity * 100)) %".padded(to: 12)
            + "\(Int(Double(total) / Double(max(1, asked.count)) / capacity * 100)) %".padded(to: 12)
            + "\((total - done.reduce(0, +)) / outage.clients)".padded(to: 19)
            + (drainedAfter.map { "\($0) s" } ?? "never").padded(to: 16) + "\(outage.leastDrain) s".padded(to: 10)
    }
}

extension String {
    /// With blanks before it, or after it if `width` is negative.
    func padded(to width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? self + blanks : blanks + self
    }
}
