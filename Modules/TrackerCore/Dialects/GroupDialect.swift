import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The dialect of the clients that send several events in one request: what stands around the events, when they are due,
/// and what a refusal means are data.
///
/// Once something is due, all that is queued at that moment is sent, group after group.
struct GroupDialect: Dialect {
    /// What stands around the events of a body.
    struct Framing: Sendable {
        /// The whole address; with a form, what its paths are below.
        var url: String
        /// Sent as `X-API-Key`, if the client's key travels so.
        var apiKey: Secret?
        /// The client's key, if it stands in the body or in what a form sends.
        var writeKey: Secret?
        /// What the program wants on every request besides.
        var headers = ExtraHeaders()
        var opening: String
        var closing: String
        /// What each event ends with instead of its `}`, before the time of sending and `"}`; `nil`: it goes as it is.
        var tail: [UInt8]?
        /// The words of another API; `nil`: events go as they are stored.
        var form: (any Form)?

        private static let timeBytes = "2025-11-27T10:30:00.000Z".utf8.count

        /// How many bytes each event costs besides its own body.
        fileprivate var overhead: Int { tail.map { $0.count + Self.timeBytes + #"","#.utf8.count } ?? ",".utf8.count }

        fileprivate func body(of group: [Record], at wall: Timestamp, capacity: Int) -> [UInt8] {
            let tail = tail.map { $0 + wall.description.utf8 + #""}"#.utf8 }
            var body: [UInt8] = []
            body.reserveCapacity(capacity)
            body += opening.utf8
            for (index, record) in group.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                guard let tail else {
                    body += record.body.bytes
                    continue
                }
                // An event has members, so that the tail may begin with a comma. Without its type, `dropLast` would be the
                // one of a sequence, which goes byte by byte.
                let members: ArraySlice<UInt8> = record.body.bytes.dropLast()
                body += members
                body += tail
            }
            body += closing.utf8
            return body
        }
    }

    /// When a group is due.
    struct Schedule: Hashable, Sendable {
        /// How long a record waits for others at most.
        var interval: Duration
        /// How many records make it due at once.
        var count: Int

        /// As soon as there is a record.
        static let atOnce = Schedule(interval: .zero, count: 1)
    }

    /// What a refused key or address means. The names are those of the client's options.
    struct Refusal: Sendable {
        var key: String
        /// The address, if events can go to no other one below it: with `nil`, a missing endpoint is a refusal of the
        /// events.
        var address: String?
        /// Whether the client is disabled and the queue dropped. If not, delivery halts, and the queue is kept.
        var disables = false
    }

    private let framing: Framing
    private let secrets: [Secret]
    private let timeout: Duration
    private let schedule: Schedule
    private let refusal: Refusal
    private var sizer: GroupSizer

    /// Everything up to this number is due.
    private var dueThrough: Int64 = 0
    /// Since when a record has waited that is not due.
    private var waitingSince: MonotonicInstant?

    /// - Parameters:
    ///   - timeout: How long a request may take.
    ///   - maxRecords: How many events a group has at most.
    ///   - maxBytes: How many bytes a body has at most before compression; a larger event travels alone.
    init(
        _ framing: Framing, timeout: Duration, schedule: Schedule, refusal: Refusal, maxRecords: Int, maxBytes: Int
    ) {
        self.framing = framing
        // A key in `Authorization` may be spelled otherwise there.
        let tokens = (framing.form?.headers ?? []).compactMap { $0.value.split(separator: " ").last.map(String.init) }
        let keys = [framing.apiKey, framing.writeKey].compactMap(\.self) + tokens.map { Secret($0) }
        secrets = keys + framing.headers.secrets
        self.timeout = timeout
        self.schedule = Schedule(interval: schedule.interval, count: min(schedule.count, maxRecords))
        self.refusal = refusal
        sizer = GroupSizer(
            maxRecords: maxRecords, maxBytes: maxBytes, recordOverhead: framing.overhead,
            frame: framing.opening.utf8.count + framing.closing.utf8.count)
    }

    var window: Window { sizer.window }

    var lacksKey: Bool { (framing.apiKey ?? framing.writeKey)?.isEmpty == true }

    mutating func plan(_ front: Peek, wantedThrough: Int64, at reading: ClockReading) -> Intention {
        guard let first = front.records.first, let last = front.records.last else {
            waitingSince = nil
            return .rest
        }
        let newest = max(front.state.lastSequence, last.sequence)
        dueThrough = max(dueThrough, wantedThrough)
        waitingSince = newest > dueThrough ? waitingSince ?? reading.now : nil
        if first.sequence > dueThrough {
            let end = (waitingSince ?? reading.now).advanced(by: schedule.interval)
            guard reading.now >= end || isFull(front, newest: newest) else { return .hold(until: end) }
            dueThrough = newest
            waitingSince = nil
        }
        sizer.recall(front.groups, in: front.records)
        let due = front.records.prefix { $0.sequence <= dueThrough }
        guard let form = framing.form else {
            let group = sizer.next(of: due)
            return .send(plan(request(carrying: group, at: reading.wall), group, front.state))
        }
        let formed = FormedFront(form, of: due, maxBytes: sizer.maxBytes, atLeastThrough: sizer.sentEnd(of: due))
        if formed.records.isEmpty, let fault = formed.fault {
            return .drop([fault.record], .rejected(0), fault.reason)
        }
        let group = sizer.next(of: formed.records) { formed.byteCount(of: $0) }
        let request = formed.request(
            carrying: group, host: framing.url, headers: headers(of: group), at: reading.wall, timeout: timeout)
        return .send(plan(request, group, front.state))
    }

    private func plan(_ request: HTTPRequest, _ group: [Record], _ state: LaneState) -> Plan {
        let generation = group.first?.generation ?? state.generation
        return Plan(
            purpose: .records, request: request, records: group, generation: generation, session: nil,
            isCurrent: generation == state.generation, group: GroupExtent(group), secrets: secrets)
    }

    private func request(carrying group: [Record], at wall: Timestamp) -> HTTPRequest {
        let capacity = group.reduce(sizer.frame) { $0 + $1.body.byteCount + sizer.recordOverhead }
        return HTTPRequest(
            method: .post, url: framing.url, headers: headers(of: group),
            body: framing.body(of: group, at: wall, capacity: capacity), timeout: timeout)
    }

    private func headers(of group: [Record]) -> HTTPHeaders {
        RequestHeaders.make(
            key: Self.key(of: group), apiKey: framing.apiKey, own: framing.form?.headers ?? [], record: group.first,
            isBatch: true, extra: framing.headers)
    }

    /// `<first>:<last>:<count>`: the same as long as the same records travel together.
    private static func key(of group: [Record]) -> String {
        "\(group.first?.messageID.text ?? ""):\(group.last?.messageID.text ?? ""):\(group.count)"
    }

    func stillHolds(_ lane: LaneState, wantedThrough: Int64, at now: MonotonicInstant) -> MonotonicInstant? {
        let end = (waitingSince ?? now).advanced(by: schedule.interval)
        let bytes = sizer.frame + lane.queuedBytes + lane.queuedRecords * sizer.recordOverhead
        guard wantedThrough <= dueThrough, now < end, lane.queuedRecords < schedule.count, bytes < sizer.maxBytes
        else { return nil }
        return end
    }

    /// Whether enough events wait to make a group due.
    private func isFull(_ front: Peek, newest: Int64) -> Bool {
        if front.records.count >= schedule.count { return true }
        let bytes = front.records.reduce(sizer.frame) { $0 + $1.body.byteCount + sizer.recordOverhead }
        // If the front ends before the queue although it had room for more records, its byte limit was reached.
        return bytes >= sizer.maxBytes || (front.records.last?.sequence ?? newest) < newest
    }

    /// Sorts an answer by its status, unless the form reads more in it.
    func sort(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> AnswerTable.Sorted {
        let sorted = AnswerTable.sort(answer, from: plan.request.url, at: wall)
        guard let form = framing.form, case .success(let response) = answer, let said = said(response, to: plan) else {
            return sorted
        }
        let status = AnswerTable.sentence(response.status, from: plan.request.url)
        let sentence = (200..<300).contains(response.status) ? "\(status), \(form.refusalIn2xx)" : status
        switch (said, sorted) {
        case (.retry(let floor), _): return .verdict(.retry(floor: max(floor, sorted.wait), sentence))
        case (.kind(let kind), _):
            return .final(SortedAnswer(kind: kind, response: response, sentence: sentence))
        case (.refused(let places, var others), _):
            if case .again(let pause) = others { others = .again(after: max(pause, sorted.wait)) }
            return .final(SortedAnswer(kind: .refused, response: response, sentence: sentence, named: (places, others)))
        }
    }

    /// What the form reads in an answer, with the places of records instead of those of events; `nil` if it reads
    /// nothing, or the answer names an event that is not there.
    private func said(_ response: HTTPResponse, to plan: Plan) -> FormAnswer? {
        guard let form = framing.form else { return nil }
        let front = { FormedFront(form, of: plan.records, maxBytes: .max) }
        let meaning = form.meaning(of: response) { front().events(of: plan.records) }
        guard case .refused(let places, let others)? = meaning else { return meaning }
        let counts = front().counts(of: plan.records)
        let owners = counts.indices.flatMap { repeatElement($0, count: counts[$0]) }
        guard !places.isEmpty, places.allSatisfy(owners.indices.contains) else { return nil }
        return .refused(Set(places.map { owners[$0] }), others: others)
    }

    mutating func judge(_ answer: SortedAnswer, to plan: Plan) -> Verdict {
        if let (places, others) = answer.named {
            // What is left of the group goes under another key.
            sizer.turnedAway(plan.records)
            return .refused(
                places.sorted().map { plan.records[$0] }, .rejected(answer.status), others: others, answer.sentence)
        }
        switch (answer.kind, refusal.address) {
        case (.unauthorized, _), (.forbidden, _):
            return refuse(plan, answer, "\(answer.sentence): the server refuses the key ('\(refusal.key)')")
        case (.gone, let address?):
            return refuse(plan, answer, "\(answer.sentence): the server has no such endpoint ('\(address)')")
        case (.unsendable, _): return .retry(floor: .zero, answer.sentence)
        case (.success, _), (.tooLarge, _), (.refused, _), (.gone, nil): return sizer.judge(answer, plan)
        }
    }

    mutating func split(_ records: [Record]) { sizer.refused(records) }

    private mutating func refuse(_ plan: Plan, _ answer: SortedAnswer, _ sentence: String) -> Verdict {
        if refusal.disables {
            forget()
            return .disable(sentence)
        }
        sizer.turnedAway(plan.records)
        return .halt(sentence, isKeyRefused: answer.isKeyRefused)
    }

    mutating func forget() {
        sizer.forget()
        dueThrough = 0
        waitingSince = nil
    }

    /// The same records travel together again, so that a group whose answer was lost keeps its key.
    var memory: DialectMemory { .groups(sizer) }

    mutating func follow(_ memory: DialectMemory) {
        if case .groups(let groups) = memory { sizer.follow(groups) }
    }
}

extension GroupSizer {
    /// What an answer to a group means, wherever groups are sent.
    fileprivate mutating func judge(_ answer: SortedAnswer, _ plan: Plan) -> Verdict {
        let isSingle = plan.records.count <= 1
        switch answer.kind {
        case .success:
            arrived(plan.records)
            return .delivered([])
        case .tooLarge where isSingle:
            dropped(plan.records)
            return .discard(.tooLarge, answer.sentence)
        case .tooLarge:
            tooLarge(plan.records)
            return .regroup
        case .refused, .unauthorized, .forbidden, .gone, .unsendable:
            guard isSingle else {
                refused(plan.records)
                return .regroup
            }
            dropped(plan.records)
            return .discard(.rejected(answer.status), answer.sentence)
        }
    }
}

extension GroupDialect {
    /// The endpoint of batches below the host's address.
    static let batchPath = "/v1/batch"

    /// The dialect of `AnalyticsClient`: batches to `{host}/v1/batch`, each event with the key and the time of sending,
    /// or what another API takes.
    ///
    /// - Parameters:
    ///   - host: Under which `/v1/batch` lies.
    ///   - writeKey: Stands in every event.
    ///   - form: The words of another API, and its limits.
    ///   - whenRefused: What the server's refusal of the key or the address means.
    static func batches(
        host: BaseURL, writeKey: Secret, headers: ExtraHeaders = ExtraHeaders(), timeout: Duration, schedule: Schedule,
        maxRecords: Int, maxBytes: Int, form: (any Form)? = nil,
        whenRefused: InitOptions.WhenRefused = .halt
    ) -> GroupDialect {
        let refusal = Refusal(key: "writeKey", address: "ingestionHost", disables: whenRefused == .disable)
        if let form {
            let envelope = form.envelope(of: "", at: Timestamp(milliseconds: 0))
            return GroupDialect(
                Framing(
                    url: host.description, writeKey: writeKey, headers: headers, opening: envelope.opening,
                    closing: envelope.closing,
                    form: form),
                timeout: timeout, schedule: schedule, refusal: refusal,
                maxRecords: min(maxRecords, form.limits.records), maxBytes: min(maxBytes, form.limits.bytes))
        }
        let tail = Array(#","writeKey":"#.utf8) + JSONText(writeKey.reveal()).bytes + #","sentAt":""#.utf8
        return GroupDialect(
            Framing(
                url: host.appending(path: batchPath), writeKey: writeKey, headers: headers, opening: #"{"batch":["#,
                closing: "]}",
                tail: tail),
            timeout: timeout, schedule: schedule, refusal: refusal, maxRecords: maxRecords, maxBytes: maxBytes)
    }

    /// The dialect of `BasicTracker`: JSON arrays of a few events, posted to one endpoint as soon as there are any.
    ///
    /// - Parameters:
    ///   - endpoint: The whole address.
    ///   - apiKey: Sent as `X-API-Key`.
    static func arrays(
        endpoint: String, apiKey: Secret, headers: ExtraHeaders = ExtraHeaders(), timeout: Duration
    ) -> GroupDialect {
        GroupDialect(
            Framing(url: endpoint, apiKey: apiKey, headers: headers, opening: "[", closing: "]"), timeout: timeout,
            schedule: .atOnce, refusal: Refusal(key: "apiKey"), maxRecords: 20, maxBytes: 475_000)
    }
}

extension GroupExtent {
    /// The extent of these records; `nil` if there are none.
    init?(_ records: [Record]) {
        guard let first = records.first, let last = records.last else { return nil }
        self.init(first: first.id, last: last.id, count: records.count)
    }
}
