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
    ///   - isBatch: Whether the request carries several calls, so that no one instant is theirs.
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
