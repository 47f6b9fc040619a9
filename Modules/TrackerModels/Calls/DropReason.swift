/// Why a record that had been accepted left the queue without being delivered.
public enum DropReason: Hashable, Sendable, CustomStringConvertible {
    /// It was the oldest when the queue was full.
    case evicted
    /// It was older than `eventTTL`.
    case expired
    /// The server refused it for good, with this HTTP status.
    case rejected(Int)
    /// The server answered 413 (RFC 9110, 15.5.14) to it alone, or its URL and headers exceed 60,000 bytes.
    case tooLarge
    /// A reset dropped it.
    case reset
    /// The user denied consent.
    case consent
    /// The client was disabled.
    case disabled
    /// The server no longer knows its session, and no other can be made for it.
    case sessionGone
    /// It alone made the server fail, again and again, and held up what was behind it.
    case poison
    /// The database was damaged or removed, and the record could not be read.
    case lost
    /// It breaks the plan, and was never queued.
    case plan
    /// It was of a person whom the program has had forgotten.
    case forgotten

    /// The name of the reason in debug information, such as `evicted` or `rejected(422)`.
    public var description: String {
        switch self {
        case .evicted: "evicted"
        case .expired: "expired"
        case .rejected(let status): "rejected(\(status))"
        case .tooLarge: "tooLarge"
        case .reset: "reset"
        case .consent: "consent"
        case .disabled: "disabled"
        case .sessionGone: "sessionGone"
        case .poison: "poison"
        case .lost: "lost"
        case .plan: "plan"
        case .forgotten: "forgotten"
        }
    }

    /// Reads a reason from the name that ``description`` gives.
    ///
    /// - Returns: `nil` if there is no such reason.
    package init?(_ name: String) {
        let status = name.hasPrefix("rejected(") ? Int(name.dropFirst("rejected(".count).dropLast()) : nil
        let all = Self.withoutStatus + (status.map { [.rejected($0)] } ?? [])
        guard let reason = all.first(where: { $0.description == name }) else { return nil }
        self = reason
    }

    private static let withoutStatus: [DropReason] = [
        .evicted, .expired, .tooLarge, .reset, .consent, .disabled, .sessionGone, .poison, .lost, .plan,
        .forgotten,
    ]

    /// Whether the server would not have it: such a record is kept apart.
    package var isRefusal: Bool {
        switch self {
        case .rejected, .tooLarge, .sessionGone, .poison, .plan: true
        case .evicted, .expired, .reset, .consent, .disabled, .lost, .forgotten: false
        }
    }
}
