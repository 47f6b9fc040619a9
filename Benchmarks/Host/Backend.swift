import Synchronization
import TestSupport
import TrackerModels

/// A server that makes sessions, takes events, and tells when each came.
final class Backend: Sendable {
    /// One event; repeats count.
    struct Arrival: Sendable {
        let time: ContinuousClock.Instant
        /// Whether it was left unanswered.
        let isUnanswered: Bool
    }

    let arrivals: AsyncStream<Arrival>
    private let server: LoopbackServer
    private let isSilent: Silence

    init() throws {
        let (arrivals, came) = AsyncStream<Arrival>.makeStream()
        let silence = Silence()
        self.arrivals = arrivals
        isSilent = silence
        server = try LoopbackServer(answer: { request in
            guard request.path == "/v2/tracking-session-data" else {
                return .status(200, body: #"{"data":{"id":"session-1"}}"#)
            }
            let isUnanswered = silence.isKept.load(ordering: .acquiring)
            came.yield(Arrival(time: .now, isUnanswered: isUnanswered))
            return isUnanswered ? .nothing(then: .stall) : .status(200)
        })
    }

    var port: UInt16 { server.port }

    /// Whether events are left unanswered from now on.
    func keepSilent(_ isSilent: Bool) { self.isSilent.isKept.store(isSilent, ordering: .releasing) }

    /// A configuration that leads here, without bounds that would drop anything.
    func config(_ folder: String, _ more: JSONObject = [:]) -> JSONValue {
        var config: JSONObject = [
            "apiUrl": .string(server.url), "xApiKey": "key-12345678", "storageDirectory": .string(folder),
            "maxQueuedEvents": 1_000_000, "maxQueuedBytes": 1_073_741_824,
        ]
        config.merge(more)
        return .object(config)
    }

    private final class Silence: Sendable {
        let isKept = Atomic(false)
    }
}
