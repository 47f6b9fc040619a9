/// Text that must never reach a log, an error message or a crash report: an API key, an advertising identifier.
///
/// Every description of it is masked; only ``reveal()`` gives the text, at the place that needs it.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The secret itself, for the request that carries it.
    package func reveal() -> String { text }

    package var isEmpty: Bool { text.isEmpty }

    /// Stars and the last 4 characters; stars alone if there are no more than 4.
    package var masked: String { text.count > 4 ? "****" + text.suffix(4) : "****" }

    package var description: String { masked }

    package var debugDescription: String { masked }

    /// A mirror without children, so that a dump shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret {
    /// The most bytes that a key may have.
    package static let maxBytes = 16 << 10

    /// Takes a key from a configuration.
    ///
    /// - Throws: Why it cannot be used.
    package init(given text: String?) throws(OptionFault.Reason) {
        guard let text, !text.isBlank else { throw .required(example: nil) }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .invalid(.controlCharacter)
        }
        // With a longer one no request could ever be sent.
        guard text.utf8.count <= Self.maxBytes else { throw .invalid(.longKey, ["most": JSONValue(Self.maxBytes)]) }
        self.init(text)
    }
}
