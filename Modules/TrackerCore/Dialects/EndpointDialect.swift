import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The dialect of `BasicTracker`: JSON arrays of a few events, posted to one endpoint as soon as there are any.
struct EndpointDialect: Dialect {
    /// How many events travel together at most.
    static let maxRecords = 20
    /// How many bytes a body has at most before compression; a larger event travels alone.
    static let maxBytes = 475_000

    private let endpoint: String
    private let apiKey: Secret
    private let timeout: Duration
    private var sizer = GroupSizer(
        maxRecords: maxRecords, maxBytes: maxBytes, recordOverhead: ",".utf8.count, frame: "[]".utf8.count)

    /// Makes a dialect for an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The whole address.
    ///   - apiKey: Sent as `X-API-Key`.
    ///   - timeout: How long a request may take.
    init(endpoint: String, apiKey: Secret, timeout: Duration) {
        self.endpoint = endpoint
        self.apiKey = apiKey
        self.timeout = timeout
    }

    var window: Window { sizer.window }

    mutating func plan(_ view: LaneView) -> Intention {
        sizer.recall(view.groups, in: view.records)
        let group = sizer.next(of: view.records)
        guard !group.isEmpty else { return .rest }
        let body = JSONText(elements: group.map(\.body)).bytes
        return .send(
            GroupRequest.plan(group, to: endpoint, apiKey: apiKey, body: body, timeout: timeout, view.state))
    }

    mutating func judge(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> Verdict {
        let response: HTTPResponse
        switch answer {
        case .success(let answer): response = answer
        case .failure(let error): return .retry(floor: .zero, error.message)
        }
        let sentence = AnswerTable.sentence(response.status, from: endpoint)
        let kind = AnswerTable.classify(response, at: wall)
        guard kind != .unauthorized else {
            sizer.turnedAway(plan.records)
            return .halt(sentence)
        }
        return sizer.judge(kind, response.status, plan, sentence)
    }

    mutating func forget() { sizer.forget() }

    /// The same records travel together again, so that a group whose answer was lost keeps its key.
    mutating func follow(_ other: any Dialect) {
        if let other = other as? EndpointDialect { sizer = other.sizer }
    }
}
