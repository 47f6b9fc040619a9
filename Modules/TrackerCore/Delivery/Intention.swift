import TrackerModels
import TrackerStorage

/// What a dialect wants done next.
enum Intention: Sendable {
    case work(Work)
    /// Nothing is due before that instant.
    case hold(until: MonotonicInstant)
    /// There is nothing to send.
    case rest
    /// There is something that may not be sent.
    case blocked(StopReason)

    /// What the engine is to do.
    enum Work: Sendable {
        /// Send this, unless something was ordered meanwhile; then call ``DeliveryState/forgetAhead()`` instead.
        case send(Plan)
        /// Write these changes of the lane, and ask again once they are on disk: nothing is sent before
        /// ``DeliveryState/committed()`` for each.
        case change([LaneChange])
        /// Drop these records, which can never be sent, and say why.
        case drop([Record], DropReason, String)
    }

    static func send(_ plan: Plan) -> Intention { .work(.send(plan)) }
    static func change(_ changes: [LaneChange]) -> Intention { .work(.change(changes)) }
    static func drop(_ records: [Record], _ reason: DropReason, _ message: String) -> Intention {
        .work(.drop(records, reason, message))
    }
}
