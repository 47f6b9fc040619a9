import TrackerCore
import TrackerNetworking

/// One fleet through one outage.
///
/// A client sends its oldest event, waits for the answer, and sends the next; after a failure its breaker says when. No
/// event is kept: a client knows when it made its first and how many it has delivered.
struct Storm {
    private struct Client {
        var breaker: CircuitBreaker.State
        /// When it made its first event.
        var phase: Int32
        var delivered: Int32 = 0
        /// The next client that acts in the same millisecond.
        var next = Storm.nobody
    }

    private static let nobody = UInt32.max
    /// Milliseconds that can be waited, which exceed the longest cooldown.
    private static let span = 1 << 18

    private let outage: Outage
    private let policy: StormPolicy
    private var chance: SplitMix
    private var clients: [Client]
    /// The first client that acts in each millisecond from now on, as a ring.
    private var due = [UInt32](repeating: nobody, count: span)
    private var acting: [UInt32] = []
    private var room = 0.0
    private var result: StormResult

    init(_ outage: Outage, _ policy: StormPolicy, seed: UInt64) {
        self.outage = outage
        self.policy = policy
        result = StormResult(policy: policy, outage: outage)
        var chance = SplitMix(state: seed)
        let breaker = CircuitBreaker(policy.breaker).state
        clients = (0..<outage.clients).map { _ in
            Client(breaker: breaker, phase: Int32.random(in: 0..<Int32(outage.period), using: &chance))
        }
        self.chance = chance
        for number in clients.indices { wake(number, at: Int(clients[number].phase)) }
    }

    /// Runs until 99 of 100 clients have nothing to send but what is new.
    mutating func run() -> StormResult {
        for now in 0..<outage.limit {
            makeRoom(at: now)
            if now % 1000 == 0 {
                result.offered.append(0)
                result.taken.append(0)
                if now >= outage.end, now % 10_000 == 0, countBehind(at: now) * 100 < clients.count {
                    result.drainedAfter = (now - outage.end) / 1000
                    break
                }
            }
            takeDue(at: now)
            for index in acting.indices { act(Int(acting[index]), at: now) }
        }
        return result
    }

    /// Puts those who act now into `acting`, in any order: in the ring, who has waited longest comes last.
    private mutating func takeDue(at now: Int) {
        acting.removeAll(keepingCapacity: true)
        var number = due[now % Self.span]
        due[now % Self.span] = Self.nobody
        while number != Self.nobody {
            acting.append(number)
            number = clients[Int(number)].next
        }
        acting.shuffle(using: &chance)
    }

    private mutating func makeRoom(at now: Int) {
        if now < outage.start {
            room = .infinity
        } else if now < outage.end {
            room = 0
        } else {
            room = min(room + outage.capacity, max(1, outage.capacity * Double(outage.patience)))
        }
    }

    /// A client sends a request: what it comes to, and when the client sends the next.
    private mutating func act(_ number: Int, at now: Int) {
        result.offered[now / 1000] += 1
        var breaker = CircuitBreaker(policy.breaker, state: clients[number].breaker)
        breaker.depart()
        guard room >= 1 else {
            let answered = now + outage.refusal
            breaker.fail(
                at: MonotonicInstant(nanoseconds: Int64(answered) * 1_000_000), floor: .zero, using: &chance)
            clients[number].breaker = breaker.state
            wake(number, at: max(answered, breaker.state.millisecond))
            return
        }
        room -= 1
        result.taken[now / 1000] += 1
        breaker.close()
        clients[number].breaker = breaker.state
        clients[number].delivered += 1
        let made = Int(clients[number].phase) + Int(clients[number].delivered) * outage.period
        wake(number, at: max(made, now + Int.random(in: outage.roundTrip, using: &chance)))
    }

    private mutating func wake(_ number: Int, at time: Int) {
        clients[number].next = due[time % Self.span]
        due[time % Self.span] = UInt32(number)
    }

    /// How many clients have more than one event to send.
    private func countBehind(at now: Int) -> Int {
        clients.count { (now - Int($0.phase)) / outage.period > Int($0.delivered) }
    }
}

extension CircuitBreaker.State {
    /// The first millisecond in which the next request may go out; 0 if there is no wait.
    fileprivate var millisecond: Int {
        switch self {
        case .closed(_, let until?), .open(_, let until): Int(until.nanoseconds / 1_000_000) + 1
        case .closed, .halfOpen: 0
        }
    }
}

/// Random numbers from a seed (SplitMix64, Steele et al., 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
