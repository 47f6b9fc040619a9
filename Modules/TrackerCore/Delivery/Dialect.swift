import TrackerModels
import TrackerNetworking
import TrackerStorage

/// How one client's records become requests, and what the answers mean to it.
///
/// A value without clock, lock or I/O: the engine shows it the front of the queue and tells it of each answer.
protocol Dialect: Sendable {
    /// How much of the queue's front it needs to see.
    var window: Window { get }

    /// What to do next with what is at the front.
    mutating func plan(_ view: LaneView) -> Intention

    /// The request of the first record, if it depends on nothing but the view: then it is made while the one before is
    /// under way.
    func prepare(_ view: LaneView) -> Plan?

    /// Until when nothing is due, after a plan that held everything back and nothing but new records since; `nil` if the
    /// queue's front must be looked at.
    func stillHolds(_ lane: LaneState, wantedThrough: Int64, at now: MonotonicInstant) -> MonotonicInstant?

    /// What an answer means, to the records and to the lane.
    ///
    /// - Parameter wall: The wall time, for a `Retry-After` date without a `Date` beside it.
    mutating func judge(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> Verdict

    /// Whether there is something to do for the lane although nothing is queued.
    func needsSession(_ lane: LaneState) -> Bool

    /// Forgets what belongs to records and sessions, since the queue has been emptied or left to another.
    mutating func forget()

    /// Goes on where another left off that spoke for the same lane, with other credentials.
    mutating func follow(_ other: any Dialect)
}

extension Dialect {
    mutating func follow(_: any Dialect) {}

    func prepare(_: LaneView) -> Plan? { nil }

    func needsSession(_: LaneState) -> Bool { false }

    func stillHolds(_: LaneState, wantedThrough _: Int64, at _: MonotonicInstant) -> MonotonicInstant? { nil }
}

/// A part of the queue's front.
struct Window: Hashable, Sendable {
    var records: Int
    var bytes: Int

    /// How much of the queue's front is read at once where each record travels alone.
    static let ahead = Window(records: 128, bytes: 256 << 10)
}

/// What a dialect sees: the front of the queue, without what is under way already.
struct LaneView: Sendable {
    var state: LaneState
    var records: ArraySlice<Record>
    var entries: [Generation: GenerationEntry]
    /// The monotonic time.
    var now: MonotonicInstant
    /// The wall time.
    var wall: Timestamp
    /// The highest sequence number that somebody wants sent now, by `flush` or because it is due.
    var wantedThrough: Int64
    /// Groups that may have gone out before: records of such a group travel together again.
    var groups: [GroupExtent] = []
}

/// One request that is meant to be sent.
struct Plan: Sendable {
    /// What the request is for.
    enum Purpose: Hashable, Sendable {
        /// Makes the session of a generation; covers no records.
        case session(Generation)
        /// Tells the session of a generation who its user is; covers no records, but stands for the first.
        case identify(UserID)
        /// Carries the records.
        case records
    }

    var purpose: Purpose
    var request: HTTPRequest
    /// The records it carries or stands for, oldest first.
    var records: [Record]
    /// The generation it speaks for.
    var generation: Generation
    /// The session it names.
    var session: SessionID?
    /// Whether the generation was the lane's current one when the request was built.
    var isCurrent: Bool
    /// Which records its key names, if it is a group's: that must be on disk before it goes out.
    var group: GroupExtent?

    /// Whether nothing else may be under way beside it: everything but events, whose order alone is traded for speed.
    var isExclusive: Bool { purpose != .records || records.contains { $0.route.isBarrier } }

    /// Whether it may be under way beside another: what belongs to a generation goes before what comes after it.
    func mayJoin(_ other: Plan) -> Bool {
        !isExclusive && !other.isExclusive && generation == other.generation
    }
}

extension Route {
    /// Whether events before and after it must not overtake it.
    fileprivate var isBarrier: Bool {
        switch self {
        case .event, .batch, .endpoint: false
        case .profile, .metadata, .location, .email, .link: true
        }
    }
}

/// What a dialect wants done next.
enum Intention: Sendable {
    case send(Plan)
    /// Change the lane first, and ask again once that is on disk.
    case change([LaneChange])
    /// These can never be sent.
    case drop([Record], DropReason, String)
    /// Nothing is due before that.
    case hold(until: MonotonicInstant)
    /// There is nothing to send.
    case rest
    /// There is something that may not be sent.
    case blocked(StopReason)
}

/// What came back.
typealias Answer = Result<HTTPResponse, TransportError>

/// What an answer means.
enum Verdict: Sendable {
    /// The plan's records have arrived; the changes come with them.
    case delivered([LaneChange])
    /// A step before the records is done; the changes must be on disk before the next.
    case progress([LaneChange])
    /// As if it had not been sent: it stays at the front, and the breaker counts. The wait is at least `floor`.
    case retry(floor: Duration, String)
    /// The same records again at once, in smaller groups.
    case regroup
    /// These can never be delivered.
    case discard(DropReason, String)
    /// Nothing can be delivered with these credentials; the queue is kept.
    case halt(Halt)
    /// Nothing can be delivered, and the queue goes.
    case disable(Halt)
}

extension Verdict {
    /// Whether it is about who asks, and not about what is sent.
    var isOfCredentials: Bool {
        switch self {
        case .halt, .disable: true
        case .delivered, .progress, .retry, .regroup, .discard: false
        }
    }
}

/// Why delivery was halted.
struct Halt: Hashable, Sendable {
    /// The answer that halted it.
    var status: Int
    /// A sentence for a developer.
    var message: String
}
