/// How much a vendor takes in one request.
struct FormLimits: Hashable, Sendable {
    /// How many records: a record may become several events.
    var records: Int
    /// How many bytes of body, before compression.
    var bytes: Int
}
