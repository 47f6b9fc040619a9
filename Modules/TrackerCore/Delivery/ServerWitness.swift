import Synchronization
import TrackerNetworking

/// Knows when servers last took a request of any lane of the process, while a lane wants to know that: whether it is the
/// server that fails, or what the lane sends.
final class ServerWitness: Sendable {
    static let shared = ServerWitness()

    private let askers = Atomic(0)
    private let answers = Mutex<[String: MonotonicInstant]>([:])

    /// Whether a lane wants to know.
    var isAsked: Bool { askers.load(ordering: .relaxed) > 0 }

    func beginAsking() { askers.add(1, ordering: .relaxed) }

    func endAsking() {
        // What is known then is too old for the next one.
        if askers.subtract(1, ordering: .relaxed).newValue == 0 { answers.withLock { $0 = [:] } }
    }

    /// A server has taken a request.
    func note(_ server: String, at instant: MonotonicInstant) { answers.withLock { $0[server] = instant } }

    func lastAnswer(of server: String) -> MonotonicInstant? { answers.withLock { $0[server] } }
}
