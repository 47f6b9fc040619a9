/// Text that must never reach a log, an error message or a crash report: an API key, an advertising identifier.
///
/// Every description of it is masked; only ``reveal()`` gives the text, at the place that needs it.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a secret.
    public init(_ text: String) { self.text = text }

    /// The secret itself, for the request that carries it.
    public func reveal() -> String { text }

    /// Stars and the last 4 characters; stars alone if there are no more than 4.
    public var masked: String { text.count > 4 ? "****" + text.suffix(4) : "****" }

    /// The masked form.
    public var description: String { masked }

    /// The masked form.
    public var debugDescription: String { masked }

    /// A mirror without children, so that a dump shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
