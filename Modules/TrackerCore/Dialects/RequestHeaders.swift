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
    ///   - own: What the client's API wants besides. Nothing of `extra` replaces it.
    ///   - record: The record, or the first of a batch.
    ///   - isBatch: Whether the request carries several calls, which have no common time.
    ///   - hasBody: Whether there is a body to give the type of.
    ///   - extra: What the program wants besides.
    static func make(
        key: String, apiKey: Secret? = nil, own: [HTTPHeaders.Field] = [], record: Record? = nil, isBatch: Bool = false,
        hasBody: Bool = true, extra: ExtraHeaders
    ) -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(5 + extra.values.count)
        if hasBody { fields.append(.init(name: "Content-Type", value: "application/json")) }
        if let apiKey { fields.append(.init(name: "X-API-Key", value: apiKey.reveal())) }
        if !own.isEmpty { fields += own }
        fields.append(.init(name: "Idempotency-Key", value: key))
        if let record {
            fields.append(.init(name: "X-Sequence", value: String(record.sequence)))
            if !isBatch { fields.append(.init(name: "X-Occurred-At", value: record.occurredAt.description)) }
        }
        for (name, value) in extra.values.isEmpty ? [] : extra.sorted
        where !own.contains(where: { HeaderField.isSame($0.name, name) }) {
            fields.append(.init(name: name, value: value))
        }
        return HTTPHeaders(fields)
    }
}
