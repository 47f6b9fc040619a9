import Foundation
import Synchronization
import TestSupport
import TrackerModels

/// A backend that fails every fifth request in one way or another, and can kill the host that asks.
final class FaultyBackend: Sendable {
    /// One request for an event.
    struct Delivery: Sendable {
        let name: String
        let key: String
        let sequence: String
        let session: String
        /// Whether it was answered with 200; a body that is cut short changes nothing of that.
        let isTaken: Bool
    }

    private struct State {
        var random: SeededGenerator
        var isFaulty = true
        var victim: (host: HostProcess, requests: Int)?
        var deliveries: [Delivery] = []
        var taken: Set<String> = []
    }

    private let backend: Backend
    private let state: SharedState

    /// - Parameter seed: Where the chance of the faults begins.
    init(seed: UInt64) throws {
        let state = SharedState(State(random: SeededGenerator(seed: seed)))
        self.state = state
        backend = try Backend { request in state.value.withLock { Self.answer(request, &$0) } }
    }

    /// What came for events, in its order.
    var deliveries: [Delivery] { state.value.withLock { $0.deliveries } }

    /// How many different events were taken.
    var takenCount: Int { state.value.withLock { $0.taken.count } }

    /// A configuration that leads here, without bounds that would drop anything.
    func config(_ folder: TemporaryDirectory) -> JSONValue {
        backend.config(
            folder, ["sessionCreation": "inBackground", "requestTimeoutMs": 5000, "maxQueuedEvents": 1_000_000]
        )
    }

    /// Kills a host while its request for an event is on the wire, after so many others.
    func kill(_ host: HostProcess, afterRequests count: Int) {
        state.value.withLock { $0.victim = (host, count) }
    }

    /// Ends the faults and lets hosts live.
    func behave() {
        state.value.withLock { state in
            state.isFaulty = false
            state.victim = nil
        }
    }

    private static func answer(_ request: LoopbackRequest, _ state: inout State) -> LoopbackAnswer? {
        let fault = state.isFaulty ? fault(&state.random) : nil
        guard request.path == "/v2/tracking-session-data" else { return fault?.answer }
        let isTaken = fault?.isTaken ?? true
        let key = request.header("Idempotency-Key") ?? ""
        state.deliveries.append(
            Delivery(
                name: request.json["event_name"]?.stringValue ?? "", key: key,
                sequence: request.header("X-Sequence") ?? "",
                session: request.json["session_id"]?.stringValue ?? "", isTaken: isTaken
            )
        )
        if isTaken { state.taken.insert(key) }
        if let victim = state.victim {
            state.victim = victim.requests > 0 ? (victim.host, victim.requests - 1) : nil
            if victim.requests == 0 { victim.host.signal(SIGKILL) }
        }
        return fault?.answer
    }

    /// A fault by chance; those that make the host wait for seconds are rare.
    private static func fault(_ random: inout SeededGenerator) -> (answer: LoopbackAnswer, isTaken: Bool)? {
        switch Int.random(in: 0..<1000, using: &random) {
        case 0: (.status(429), false)
        case 1: (.nothing(then: .stall), false)
        case 2..<50: (.status(500), false)
        case 50..<80: (.status(503, retryAfter: "0"), false)
        case 80..<100: (.status(408), false)
        case 100..<130: (.nothing(then: .reset), false)
        case 130..<150: (.nothing(then: .close), false)
        case 150..<170: (.text("HTTP/1.1 20", then: .reset), false)
        case 170..<200: (.lying(announced: 100, sent: 10), true)
        default: nil
        }
    }

    /// The state, reached from the server's threads too.
    private final class SharedState: Sendable {
        let value: Mutex<State>

        init(_ state: sending State) { value = Mutex(state) }
    }
}
