import TrackerNetworking
import TrackerStorage

/// Finds the record that stops a lane: the one that alone makes the server fail.
///
/// Once the breaker's probes of the front have failed with an HTTP status for long enough, a record behind it is tried as
/// well. If that one gets an answer, the server is well and the front is at fault: it is halved down to one record, and a
/// record that then fails three times more is set aside. If both fail it is an outage, and nothing happens.
struct Suspicion: Hashable, Sendable {
    /// How many probes must have failed, besides the time.
    static let probes = 5
    /// How often a record fails, once the server is known to be well, before it is set aside.
    static let strikes = 3

    /// What is to be done about a failure.
    enum Consequence: Hashable, Sendable {
        /// To wait, as after every failure.
        case none
        /// The server is well, and something in these records makes it fail.
        case split
        /// This record makes the server fail.
        case setAside
    }

    /// How long probes must have failed; `nil`: nothing is ever suspected.
    private let patience: Duration?
    /// The records that were at the front when the probes began to fail.
    private var suspects: ClosedRange<Record.ID>?
    private var since: MonotonicInstant?
    /// The server of the last probe of the front that has failed.
    private var server: String?
    private var failures = 0
    /// Whether the next probe is of a record behind.
    private var isTurnOfNext = false
    /// Whether the server has answered another request since.
    private var isServerWell = false
    /// How often the front has failed since.
    private var struck = 0

    init(after patience: Duration?) { self.patience = patience }

    /// Whether enough probes of the front have failed for long enough.
    private var isRipe = false

    private var wantsEvidence: Bool { isRipe && !isServerWell }

    /// The server of which it would help to know that it answers others.
    var doubtedServer: String? { wantsEvidence ? server : nil }

    /// Whether the next probe is of a record behind the front.
    ///
    /// - Parameter front: The first record that waits.
    func probesNext(to front: Record.ID) -> Bool { wantsEvidence && isTurnOfNext && suspects?.contains(front) == true }

    /// Whether a failure opens the breaker at once: the server is well, and gets time between the tries.
    var opensAtOnce: Bool { isServerWell }

    /// The server has answered another request, at that instant.
    mutating func learn(ofAnswerAt instant: MonotonicInstant) {
        if wantsEvidence, let since, instant >= since { isServerWell = true }
    }

    /// A request was answered, and not by a failure.
    ///
    /// - Parameter isNext: Whether it was the probe of a record behind.
    mutating func answered(_ records: [Record], isNext: Bool) {
        // That a session could be made says nothing of a record.
        guard suspects != nil, !records.isEmpty else { return }
        if isNext { return isServerWell = isRipe }
        // Parts of the suspects may still be at the front.
        if let last = records.last, let suspects, suspects.contains(last.id), last.id < suspects.upperBound {
            struck = 0
            return
        }
        forget()
    }

    /// - Parameters:
    ///   - isNext: Whether it was the probe of a record behind.
    ///   - isProbe: Whether the breaker was open.
    ///   - status: The server's answer; `nil` if the network has failed.
    ///   - server: Its name and port.
    mutating func failed(
        _ records: [Record], isNext: Bool, isProbe: Bool, status: Int?, server: String, at now: MonotonicInstant
    ) -> Consequence {
        guard let patience, let first = records.first, let last = records.last else { return .none }
        if isNext {
            isTurnOfNext = false
            return .none
        }
        // A network that fails says nothing of a record; 408 and 429 say nothing of it either.
        guard let status, status >= 500 else { return .none }
        if suspects?.contains(first.id) != true {
            forget()
            suspects = first.id...last.id
        }
        if isServerWell {
            if records.count > 1 { return .split }
            struck += 1
            guard struck >= Self.strikes else { return .none }
            if first.id == suspects?.upperBound {
                forget()
            } else {
                // The server may have failed since: for what is left of the suspects it has to answer again.
                (struck, isServerWell, isTurnOfNext, since) = (0, false, false, now)
            }
            return .setAside
        }
        guard isProbe else { return .none }
        self.server = server
        failures += 1
        since = since ?? now
        isTurnOfNext = true
        if failures >= Self.probes, let since, since.duration(to: now) >= patience { isRipe = true }
        return .none
    }

    /// The records before this one have left the queue.
    mutating func forget(before oldest: Record.ID) {
        if let suspects, suspects.upperBound < oldest { forget() }
    }

    /// What is at the front now is new.
    mutating func forget() { self = Suspicion(after: patience) }
}
