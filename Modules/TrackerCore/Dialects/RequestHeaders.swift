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
        var headers = HTTPHeaders()
        if hasBody { headers.append(name: "Content-Type", value: "application/json") }
        if let apiKey { headers.append(name: "X-API-Key", value: apiKey.reveal()) }
        headers.append(name: "Idempotency-Key", value: key)
        if let record {
            headers.append(name: "X-Sequence", value: String(record.sequence))
            if !isBatch { headers.append(name: "X-Occurred-At", value: record.occurredAt.description) }
        }
        return headers
    }
}
