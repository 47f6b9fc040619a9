import TrackerModels
import TrackerNetworking
import TrackerStorage

/// How one client's records become requests, and what the answers mean to it.
///
/// A value without clock, lock or I/O: the engine passes it the front of the queue and each answer.
protocol Dialect: Sendable {
    /// How much of the queue's front it needs to see.
    var window: Window { get }

    /// What to do next with what is at the front.
    mutating func plan(_ view: LaneView) -> Intention

    /// The request of the first record, if it depends on the view alone. It is made while the previous one is under
    /// way.
    func prepare(_ view: LaneView) -> Plan?

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

    func prepare(_: LaneView) -> Plan? { nil }

    func needsSession(_: LaneState) -> Bool { false }

    func stillHolds(_: LaneState, wantedThrough _: Int64, at _: MonotonicInstant) -> MonotonicInstant? { nil }

    func sort(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> AnswerTable.Sorted {
        AnswerTable.sort(answer, from: plan.request.url, at: wall)
    }

    /// What an answer means, to the records and to the lane.
    ///
    /// - Parameter wall: The wall time, for a `Retry-After` date without a `Date` beside it.
    mutating func judge(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> Verdict {
        switch sort(answer, to: plan, at: wall) {
        case .retry(let floor, let sentence): .retry(floor: floor, sentence)
        case .final(let answer): judge(answer, to: plan)
        }
    }
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
    /// The highest sequence number to be sent now, for a flush or because it is due.
    var wantedThrough: Int64
    /// Groups that may have gone out before: records of such a group travel together again.
    var groups: [GroupExtent] = []
}

/// One request to send.
struct Plan: Sendable {
    /// What the request is for.
    enum Purpose: Hashable, Sendable {
        /// Makes the session of a generation. Carries no records.
        case session(Generation)
        /// Identifies the user of a generation's session. Carries no records, but stands for the first.
        case identify(UserID)
        /// Carries the records.
        case records
    }

    var purpose: Purpose
    var request: HTTPRequest
    /// The records it carries or stands for, oldest first.
    var records: [Record]
    /// The generation it is sent for.
    var generation: Generation
    /// The session it names.
    var session: SessionID?
    /// Whether the generation was the lane's current one when the request was built.
    var isCurrent: Bool
    /// The records that its key names, if it carries a group. They must be on disk as a group before it is sent.
    var group: GroupExtent?
    /// What it carries that is neither stored nor logged: the key, and the values of the program's headers.
    var secrets: [Secret] = []

    /// Whether no other request may be under way beside it. Only events may: for them order is traded for speed.
    var isExclusive: Bool { purpose != .records || records.contains { $0.route.isBarrier } }

    /// The beginning of an answer's body, in which secrets that the server repeats are masked. Those of less than 4 characters
    /// could be parts of any word, and stay.
    func masked(_ body: [UInt8]) -> [UInt8] {
        var text = String(decoding: body.prefix(16_384), as: UTF8.self)
        for secret in secrets where secret.reveal().count >= 4 {
            text = text.replacingMark(secret.reveal(), with: secret.masked)
        }
        return Array(text.utf8)
    }

    /// Whether it may be under way beside another: one generation is sent before the next one.
    func mayJoin(_ other: Plan) -> Bool {
        !isExclusive && !other.isExclusive && generation == other.generation
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

/// What a dialect wants done next.
enum Intention: Sendable {
    case send(Plan)
    /// Change the lane first, and ask again once that is on disk.
    case change([LaneChange])
    /// These can never be sent.
    case drop([Record], DropReason, String)
    /// Nothing is due before that instant.
    case hold(until: MonotonicInstant)
    /// There is nothing to send.
    case rest
    /// There is something that may not be sent.
    case blocked(StopReason)
}

/// The result of a request.
typealias Answer = Result<HTTPResponse, TransportError>

/// What an answer means.
enum Verdict: Sendable {
    /// The plan's records have arrived; the changes come with them.
    case delivered([LaneChange])
    /// A step before the records is done; the changes must be on disk before the next.
    case progress([LaneChange])
    /// The records stay at the front, and the breaker counts a failure. The wait is at least `floor`.
    case retry(floor: Duration, String)
    /// The same records again at once, in smaller groups.
    case regroup
    /// These can never be delivered.
    case discard(DropReason, String)
    /// The answer names the records that can never be delivered.
    case refused([Record], DropReason, others: Others, String)
    /// Nothing can be delivered with these credentials; the queue is kept. The sentence says why.
    case halt(String)
    /// Nothing can be delivered, and the queue is dropped. The sentence says why.
    case disable(String)
}

extension Verdict {
    /// What has become of the records that an answer does not name.
    enum Others: Hashable, Sendable {
        case delivered
        /// They go again, not before that time has passed.
        case again(after: Duration)

        /// They go again at once.
        static let wait = Others.again(after: .zero)
    }

    /// Whether it is about the credentials, and not about what is sent.
    var isOfCredentials: Bool {
        switch self {
        case .halt, .disable: true
        case .delivered, .progress, .retry, .regroup, .discard, .refused: false
        }
    }
}

/// An answer that will not be another one for the same request.
struct SortedAnswer: Sendable {
    /// The class of an answer. Each dialect decides what the class means to it.
    enum Kind: Hashable, Sendable {
        case success
        /// The request cannot be sent: it is no HTTP request.
        case unsendable
        /// The body is too large (413).
        case tooLarge
        /// The credentials are refused (401, 403).
        case unauthorized
        /// What the request names is not there (404, 410).
        case gone
        /// The request is refused, and would be again.
        case refused
    }

    var kind: Kind
    /// What the server has answered; `nil` if the request cannot be sent.
    var response: HTTPResponse?
    /// How the answer reads in a log.
    var sentence: String
    /// How long the server wants no other request.
    var wait = Duration.zero

    /// The status, or 0.
    var status: Int { response?.status ?? 0 }
}

/// The meaning of answers where all dialects agree.
enum AnswerTable {
    /// What an answer says of its request.
    enum Sorted: Sendable {
        /// The request may be right: the server, or the way to it, is down or busy. The wait is at least `floor`.
        case retry(floor: Duration, String)
        case final(SortedAnswer)
    }

    /// Sorts an answer by its status.
    static func sort(_ answer: Answer, from url: String, at wall: Timestamp) -> Sorted {
        switch answer {
        case .failure(let error) where error.kind == .invalidRequest:
            return .final(SortedAnswer(kind: .unsendable, response: nil, sentence: error.message))
        case .failure(let error): return .retry(floor: error.retryAfter(at: wall) ?? .zero, error.message)
        case .success(let response):
            // Most answers are a 2xx, whose headers need not be read.
            let isSuccess = (200..<300).contains(response.status)
            let sentence = isSuccess ? "" : sentence(response.status, from: url)
            guard let kind = isSuccess ? .success : kind(of: response.status) else {
                return .retry(floor: wait(for: response, at: wall), sentence)
            }
            return .final(SortedAnswer(kind: kind, response: response, sentence: sentence))
        }
    }

    private static func kind(of status: Int) -> SortedAnswer.Kind? {
        switch status {
        // 407 comes from a proxy, not from the server.
        case 407, 408, 429: nil
        case 413: .tooLarge
        case 401, 403: .unauthorized
        case 404, 410: .gone
        case 304, 400..<500: .refused
        // 5xx, redirects that lead nowhere, and statuses that HTTP does not know.
        default: nil
        }
    }

    private static func wait(for response: HTTPResponse, at wall: Timestamp) -> Duration {
        max(response.retryAfter(at: wall) ?? .zero, response.status == 429 ? .seconds(1) : .zero)
    }

    /// How a status reads in a log.
    static func sentence(_ status: Int, from url: String) -> String {
        "\(WebURL(url).authority) answered \(status)"
    }
}
