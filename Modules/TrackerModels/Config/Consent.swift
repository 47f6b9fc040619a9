/// Whether the user allows tracking.
public enum Consent: String, Hashable, Sendable, CaseIterable {
    /// Calls are kept and sent.
    case granted
    /// Nothing is kept and nothing is sent.
    case denied
    /// Calls are kept on disk; nothing is sent until the user decides.
    case pending
}
