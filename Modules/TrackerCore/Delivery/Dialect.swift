import TrackerModels
import TrackerNetworking
import TrackerStorage

/// How one client's records become requests, and what the answers mean to it.
///
/// A value without clock, lock or I/O: the engine passes it the front of the queue and each answer.
protocol Dialect: Sendable {
    /// How much of the queue's front it needs to see.
    var window: Window { get }

    /// What to do next with what is at the front of the queue, without what is under way already.
    ///
    /// - Parameter wantedThrough: The highest sequence number to be sent now, for a flush or because it is due.
    mutating func plan(_ front: Peek, wantedThrough: Int64, at reading: ClockReading) -> Intention

    /// The request of the first record, if it depends on the front alone. It is made while the previous one is under
    /// way.
    func prepare(_ front: Peek) -> Plan?

    /// Until when nothing is due, if the last plan was to wait and only new records have come since; `nil` if the
    /// queue's front must be read.
    func stillHolds(_ lane: LaneState, wantedThrough: Int64, at now: MonotonicInstant) -> MonotonicInstant?

    /// Which class an answer is of.
    func sort(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> AnswerTable.Sorted

    /// What an answer means, to the records and to the lane.
    mutating func judge(_ answer: SortedAnswer, to plan: Plan) -> Verdict

    /// Whether there is something to do for the lane although nothing is queued.
    func needsSession(_ lane: LaneState) -> Bool

    /// Forgets what it remembered about records and sessions: the queue was emptied.
    mutating func forget()

    /// What it has learned of the lane from answers.
    var memory: DialectMemory { get }

    /// Something in these records makes the server fail: they go in smaller groups next.
    mutating func split(_ records: [Record])

    /// Continues for a dialect of the same lane that had other credentials.
    mutating func follow(_ memory: DialectMemory)

    /// Whether it has no key to send anything with.
    var lacksKey: Bool { get }
}

/// What a dialect has learned of a lane, with which one with other credentials goes on.
enum DialectMemory: Sendable {
    case groups(GroupSizer)
    case sessions(SessionDialect.Memory)
}

extension Dialect {
    func split(_: [Record]) {}

    func prepare(_: Peek) -> Plan? { nil }

    func needsSession(_: LaneState) -> Bool { false }

    func stillHolds(_: LaneState, wantedThrough _: Int64, at _: MonotonicInstant) -> MonotonicInstant? { nil }

    func sort(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> AnswerTable.Sorted {
        AnswerTable.sort(answer, from: plan.request.url, at: wall)
    }
}

extension Route {
    /// Whether events before and after it must not overtake it.
    var isBarrier: Bool {
        switch self {
        case .event, .batch, .endpoint: false
        case .profile, .metadata, .location, .email, .link: true
        }
    }
}
