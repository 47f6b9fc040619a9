import TrackerModels

/// Why a call was refused, and a sentence for the log.
struct Refusal: Error, Hashable, Sendable {
    var reason: RefusalReason
    var message: String

    init(_ reason: RefusalReason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// A refusal in the words that all clients have for it.
    init(_ reason: RefusalReason, of call: String) { self.init(reason, ClientReporter.sentence(reason, call)) }

    /// The body is larger than a record may be.
    static func tooLarge(_ call: String, _ delivery: DeliveryOptions) -> Refusal {
        let (name, limit) =
            delivery.maxEventBytes <= delivery.maxQueuedBytes
            ? ("maxEventBytes", delivery.maxEventBytes) : ("maxQueuedBytes", delivery.maxQueuedBytes)
        return Refusal(
            .tooLarge, "Dropped \(call): as JSON it is larger than \(name) allows, \("\(limit)".grouped) bytes")
    }

    /// The caller's message id is not valid.
    static func invalidMessageID(of call: String) -> Refusal {
        Refusal(
            .invalidValue,
            "Dropped \(call): a messageId is 1 to 128 printable ASCII characters without spaces at either end")
    }
}

extension Properties {
    /// The object as text.
    ///
    /// - Parameter call: What the log names: an event by its name.
    /// - Throws: `serialization` if JSON cannot hold it, with the way to the value.
    func checked(for call: String) throws(Refusal) -> JSONText {
        switch content {
        case .success(let text): return text
        case .failure(let error): throw Refusal(.serialization, "Dropped \(call): \(error)")
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
