/// Why a call was refused: its reason, and what the reason does not say.
///
/// It is data. Whoever shows it makes the sentence, with the names that things have there.
package struct Refusal: Error, Hashable, Sendable {
    package let reason: RefusalReason
    /// What is wrong, if the reason alone does not say it.
    package let word: FaultWord?
    /// What the text has marks for, such as `option`.
    package let facts: JSONObject

    package init(_ reason: RefusalReason, _ word: FaultWord? = nil, _ facts: JSONObject = [:]) {
        self.reason = reason
        self.word = word
        self.facts = facts
    }

    /// An option of the call that cannot be used.
    package init(_ fault: OptionFault) { self.init(.invalidValue, fault.reason.word, fault.facts) }

    package static let notInitialized = Refusal(.notInitialized)
    package static let queueFull = Refusal(.queueFull)
    package static let repeatedScreen = Refusal(.repeatedScreen)
    package static let messageID = Refusal(.invalidValue, .messageID, ["option": "messageId"])

    /// A value of the call that is out of its range.
    package static func value(_ word: FaultWord, _ facts: JSONObject = [:]) -> Refusal {
        Refusal(.invalidValue, word, facts)
    }

    /// The body is larger than a record may be.
    package static func tooLarge(under delivery: DeliveryOptions) -> Refusal {
        let (name, limit) =
            delivery.maxEventBytes <= delivery.maxQueuedBytes
            ? ("maxEventBytes", delivery.maxEventBytes) : ("maxQueuedBytes", delivery.maxQueuedBytes)
        return Refusal(.tooLarge, .size, ["option": .string(name), "most": JSONValue(limit)])
    }

    /// The message about a call that was dropped for this reason.
    ///
    /// - Parameters:
    ///   - call: Its name in a log: an event's own, otherwise the method's.
    ///   - initializer: How the client is initialised there.
    package func message(of call: String, initializer: String) -> String {
        let why = sentence(initializer) + (word?.isPhrase == true ? "." : "")
        let facts = ["call": String(call.prefix(200)), "reason": reason.rawValue, "why": why, "place": ""]
        return TextTemplate.filled(DropText(for: reason).text) { facts[$0] }
    }

    /// What is wrong.
    ///
    /// - Parameter initializer: How the client is initialised there.
    package func sentence(_ initializer: String) -> String {
        TextTemplate.filled(word?.text ?? reason.text) { name in
            name == "init" ? initializer : facts[name].map { Self.words(for: $0, named: name) }
        }
    }

    /// The words for a fact. Of several unknown options, each has facts of its own.
    private static func words(for fact: JSONValue, named name: String) -> String {
        guard case .array(let values) = fact, case .object? = values.first else {
            return TextTemplate.words(for: fact, named: name)
        }
        return values.compactMap(\.objectValue).map { Refusal(.invalidValue, .unknown, $0).sentence("") }
            .joined(separator: " ")
    }
}

/// What became of a call, with all that is known of one that was dropped.
package typealias CallAnswer = Result<TrackOutcome, Refusal>

extension CallAnswer {
    /// What became of the call, as its caller receives it.
    package var outcome: TrackOutcome {
        switch self {
        case .success(let outcome): outcome
        case .failure(let refusal): .dropped(refusal.reason)
        }
    }
}
