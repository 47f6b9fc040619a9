import TrackerModels

extension Properties {
    /// The object as text.
    ///
    /// - Parameter option: The option of the call that it is, if it is one.
    /// - Throws: Why JSON cannot hold it, with the way to the value.
    func checked(as option: String? = nil) throws(Refusal) -> JSONText {
        switch content {
        case .success(let text): return text
        case .failure(let error): throw .notJSON(error.description, in: option)
        }
    }
}

extension String {
    /// Whether there is nothing but white space in it.
    var isBlank: Bool {
        // A visible ASCII character at the start, as nearly always, settles it.
        if let first = utf8.first, (0x21...0x7E).contains(first) { return false }
        return unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}

/// Why the API key or write key of a configuration cannot be used.
struct SecretFault: Error {
    var reason: OptionFault.Reason
}

extension Secret {
    /// Takes a key from a configuration.
    init(given text: String?) throws(SecretFault) {
        guard let text, !text.isBlank else { throw SecretFault(reason: .required(example: nil)) }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw SecretFault(reason: .invalid("holds a control character, such as a line break"))
        }
        // With a longer one no request could ever be sent.
        guard text.utf8.count <= 16_384 else { throw SecretFault(reason: .invalid("is longer than 16384 bytes")) }
        self.init(text)
    }
}
