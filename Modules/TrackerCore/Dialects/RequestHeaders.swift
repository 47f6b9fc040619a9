import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The header fields that every client's requests share.
enum RequestHeaders {
    /// The fields of a request.
    ///
    /// - Parameters:
    ///   - key: What the server may recognise a repeat by; the same on every retry.
    ///   - apiKey: The credential, where a client sends it as a header.
    ///   - record: The record, or the first of a batch.
    ///   - isBatch: Whether the request carries several calls, which have no common time.
    ///   - hasBody: Whether there is a body to give the type of.
    static func make(
        key: String, apiKey: Secret? = nil, record: Record? = nil, isBatch: Bool = false, hasBody: Bool = true
    ) -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(5)
        if hasBody { fields.append(.init(name: "Content-Type", value: "application/json")) }
        if let apiKey { fields.append(.init(name: "X-API-Key", value: apiKey.reveal())) }
        fields.append(.init(name: "Idempotency-Key", value: key))
        if let record {
            fields.append(.init(name: "X-Sequence", value: String(record.sequence)))
            if !isBatch { fields.append(.init(name: "X-Occurred-At", value: record.occurredAt.description)) }
        }
        return HTTPHeaders(fields)
    }
}

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
