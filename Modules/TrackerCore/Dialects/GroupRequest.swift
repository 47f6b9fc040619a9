import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What the requests that carry several records have in common.
enum GroupRequest {
    /// A plan that posts a group of records.
    ///
    /// - Parameters:
    ///   - records: The group, oldest first; not empty.
    ///   - body: What the request carries.
    static func plan(
        _ records: [Record], to url: String, apiKey: Secret? = nil, body: [UInt8], timeout: Duration, _ state: LaneState
    ) -> Plan {
        let headers = RequestHeaders.make(key: key(of: records), apiKey: apiKey, record: records.first, isBatch: true)
        let generation = records.first?.generation ?? state.generation
        return Plan(
            purpose: .records,
            request: HTTPRequest(method: .post, url: url, headers: headers, body: body, timeout: timeout),
            records: records, generation: generation, session: nil, isCurrent: generation == state.generation,
            group: GroupExtent(records)
        )
    }

    /// `<first>:<last>:<count>`: the same as long as the same records travel together.
    static func key(of records: [Record]) -> String {
        "\(records.first?.messageID.text ?? ""):\(records.last?.messageID.text ?? ""):\(records.count)"
    }
}

extension GroupExtent {
    /// The extent of these records; `nil` if there are none.
    init?(_ records: [Record]) {
        guard let first = records.first, let last = records.last else { return nil }
        self.init(first: first.id, last: last.id, count: records.count)
    }
}
