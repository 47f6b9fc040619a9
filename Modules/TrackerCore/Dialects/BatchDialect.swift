import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The dialect of `AnalyticsClient`: batches to `{host}/v1/batch`, sent when enough events wait or the first has waited
/// long enough.
///
/// Once something is due, all that is queued at that moment is sent, batch after batch.
struct BatchDialect: Dialect {
    /// When a batch is due.
    struct Schedule: Hashable, Sendable {
        /// How long a record waits for others at most.
        var interval: Duration
        /// How many records make it due at once.
        var count: Int
    }

    private let url: String
    private let timeout: Duration
    private let schedule: Schedule
    private let credential: JSONText
    private var sizer: GroupSizer

    /// Everything up to this number is due.
    private var dueThrough: Int64 = 0
    /// Since when a record has waited that is not due.
    private var waitingSince: MonotonicInstant?

    /// The endpoint below the host's address.
    static let path = "/v1/batch"

    /// The end of every event, which is bound when it is sent.
    private static let sentAtKey = #","sentAt":""#
    private static let sentAtBytes = "2025-11-27T10:30:00.000Z".utf8.count

    /// Makes a dialect for a host.
    ///
    /// - Parameters:
    ///   - host: Under which `/v1/batch` lies.
    ///   - writeKey: Stands in every event.
    ///   - timeout: How long a request may take.
    ///   - maxRecords: How many events a batch has at most.
    ///   - maxBytes: How many bytes a body has at most before compression; a larger event travels alone.
    init(
        host: BaseURL, writeKey: Secret, timeout: Duration, schedule: Schedule, maxRecords: Int, maxBytes: Int
    ) {
        url = host.appending(path: Self.path)
        self.timeout = timeout
        self.schedule = Schedule(interval: schedule.interval, count: min(schedule.count, maxRecords))
        credential = JSONText(writeKey.reveal())
        sizer = GroupSizer(
            maxRecords: maxRecords, maxBytes: maxBytes,
            recordOverhead: #","writeKey":"#.utf8.count + credential.byteCount + Self.sentAtKey.utf8.count
                + Self.sentAtBytes + #"","#.utf8.count,
            frame: #"{"batch":[]}"#.utf8.count
        )
    }

    var window: Window { sizer.window }

    mutating func plan(_ view: LaneView) -> Intention {
        guard let first = view.records.first, let last = view.records.last else {
            waitingSince = nil
            return .rest
        }
        let newest = max(view.state.lastSequence, last.sequence)
        dueThrough = max(dueThrough, view.wantedThrough)
        waitingSince = newest > dueThrough ? waitingSince ?? view.now : nil
        if first.sequence > dueThrough {
            let end = (waitingSince ?? view.now).advanced(by: schedule.interval)
            guard view.now >= end || isFull(view, newest: newest) else { return .hold(until: end) }
            dueThrough = newest
            waitingSince = nil
        }
        sizer.recall(view.groups, in: view.records)
        let group = sizer.next(of: view.records.prefix { $0.sequence <= dueThrough })
        let body = body(of: group, sentAt: view.wall)
        return .send(GroupRequest.plan(group, to: url, body: body, timeout: timeout, view.state))
    }

    func stillHolds(_ lane: LaneState, wantedThrough: Int64, at now: MonotonicInstant) -> MonotonicInstant? {
        let end = (waitingSince ?? now).advanced(by: schedule.interval)
        let bytes = sizer.frame + lane.queuedBytes + lane.queuedRecords * sizer.recordOverhead
        guard wantedThrough <= dueThrough, now < end, lane.queuedRecords < schedule.count, bytes < sizer.maxBytes
        else { return nil }
        return end
    }

    mutating func judge(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> Verdict {
        let response: HTTPResponse
        switch answer {
        case .success(let answer): response = answer
        case .failure(let error): return .retry(floor: .zero, error.message)
        }
        let sentence = AnswerTable.sentence(response.status, from: url)
        let kind = AnswerTable.classify(response, at: wall)
        switch kind {
        case .unauthorized, .gone:
            forget()
            let cause =
                kind == .unauthorized
                ? "the server refuses the key ('writeKey')" : "the server has no such endpoint ('ingestionHost')"
            return .disable("\(sentence): \(cause)")
        case .success, .retry, .tooLarge, .refused:
            return sizer.judge(kind, response.status, plan, sentence)
        }
    }

    mutating func forget() {
        sizer.forget()
        dueThrough = 0
        waitingSince = nil
    }

    /// Whether enough events wait to make a batch due.
    private func isFull(_ view: LaneView, newest: Int64) -> Bool {
        if view.records.count >= schedule.count { return true }
        let bytes = view.records.reduce(sizer.frame) { $0 + $1.body.byteCount + sizer.recordOverhead }
        // If the view ends before the queue although it had room for more records, its byte limit was reached.
        return bytes >= sizer.maxBytes || (view.records.last?.sequence ?? newest) < newest
    }

    private func body(of group: [Record], sentAt: Timestamp) -> [UInt8] {
        var tail: [UInt8] = []
        tail += #","writeKey":"#.utf8
        tail += credential.bytes
        tail += Self.sentAtKey.utf8
        tail += sentAt.description.utf8
        tail += #""}"#.utf8
        var body: [UInt8] = []
        body.reserveCapacity(group.reduce(sizer.frame) { $0 + $1.body.byteCount + sizer.recordOverhead })
        body += #"{"batch":["#.utf8
        for (index, record) in group.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            // An event has members, so that the tail may begin with a comma. Without its type, `dropLast` would be the one
            // of a sequence, which goes byte by byte.
            let members: ArraySlice<UInt8> = record.body.bytes.dropLast()
            body += members
            body += tail
        }
        body += "]}".utf8
        return body
    }
}
