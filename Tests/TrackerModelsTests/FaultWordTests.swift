import Foundation
import Testing
import TrackerJSON

@testable import TrackerModels

@Suite("The texts of faults")
struct FaultWordTests {
    /// The readers of Node and Python fill the same texts: `client-texts.test.js`, `test_texts.py`.
    @Test("fill their marks, and leave out what has no fact")
    func fills() throws {
        for each in try cases("templates") {
            let text = try #require(each["text"]?.stringValue)
            let facts = try #require(each["facts"]?.objectValue)

            #expect(.string(TextTemplate.filled(text, facts)) == each["gives"])
        }
    }

    /// Node and Python make the same sentences of the same data.
    @Test("say of an option what is wrong, and within which limits")
    func options() throws {
        let cases = try cases("faults")

        for each in cases {
            let word = try #require(each["word"]?.stringValue.flatMap(FaultWord.init))
            let facts = try #require(each["facts"]?.objectValue)
            let sentence = Refusal(.invalidValue, word, facts).sentence("init()")

            #expect(.string(sentence) == each["gives"])
            // An `initialize` that fails says the same, with the digits of large numbers alone.
            guard word != .unknown, let option = facts["option"]?.stringValue else { continue }
            #expect(
                OptionFault(option, .invalid(word, facts)).sentence(naming: option)
                    == each["gives"]?.stringValue?.replacing(/(\d),(\d)/) { "\($0.1)\($0.2)" })
        }
        let words = Set(cases.compactMap { $0["word"]?.stringValue })
        let untold = FaultWord.allCases.filter { $0.text.starts(with: /\[?'{option}'/) && !words.contains($0.rawValue) }
        #expect(untold == [.messageID, .noValue, .blank, .tooLong, .notTheArgument, .wrongYear])
    }

    @Test("of a client have the words in which Node and Python say them")
    func clients() throws {
        for each in try cases("clients") {
            let text = try #require(each["word"]?.stringValue.flatMap(ClientText.init)).text
            let facts = try #require(each["facts"]?.objectValue)

            #expect(.string(TextTemplate.filled(text, facts)) == each["gives"])
        }
    }

    private func cases(_ name: String) throws -> [JSONValue] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = try JSONText(validating: Array(Data(contentsOf: root.appending(path: "Texts/\(name).json"))))
        let cases = try #require(JSONValue(file).arrayValue)
        try #require(!cases.isEmpty)
        return cases
    }

    @Test("say of a call that is dropped which rule it breaks, in the words of the documents where they have some")
    func refusals() {
        let delivery = DeliveryOptions(maxQueuedBytes: 2_048)
        let cases: [(Refusal, String)] = [
            (.notInitialized, "Not initialized. Call init() first."),
            (.queueFull, "Event queue full - dropping event: A"),
            (Refusal(.trackingNotAllowed), "Event blocked - consent not granted: A"),
            (Refusal(.invalidUserId), "user_id is required for A()"),
            (Refusal(.invalidEventName), "A was dropped: INVALID_EVENT_NAME. Its name is empty."),
            (
                .tooLarge(under: delivery),
                "A was dropped: TOO_LARGE. As JSON it is larger than maxQueuedBytes allows, 2,048 bytes."
            ),
            (
                Refusal(JSONConversionError(keyPath: "a[0]", reason: .notFinite("Infinity")), in: "options.context"),
                "A was dropped: SERIALIZATION_ERROR. 'options.context.a[0]' is Infinity, which JSON does not have."
            ),
            (
                Refusal(JSONConversionError(keyPath: "", reason: .tooDeep)),
                "A was dropped: SERIALIZATION_ERROR. It is nested more than 128 deep."
            ),
            (
                Refusal(OptionFault("options.x", .unknown(suggestion: "y", others: [], known: []))),
                "A was dropped: INVALID_VALUE. 'options.x' is not known; did you mean 'y'?"
            ),
            (
                Refusal(
                    OptionFault(
                        "x", .unknown(suggestion: "y", others: [OptionFault.Unknown("a", suggestion: "b")], known: []))),
                "A was dropped: INVALID_VALUE. 'x' is not known; did you mean 'y'? 'a' is not known; did you mean 'b'?"
            ),
            (
                Refusal(OptionFault("x", .otherWord(of: ["y", "z"], meant: .near("y")))),
                "A was dropped: INVALID_VALUE. 'x' must be 'y' or 'z' (did you mean 'y'?)."
            ),
        ]
        for (refusal, message) in cases { #expect(refusal.message(of: "A", initializer: "init()") == message) }
        let long = Refusal.queueFull.message(of: String(repeating: "x", count: 600_000), initializer: "init()")
        #expect(long == "Event queue full - dropping event: " + String(repeating: "x", count: 200))
    }

    @Test("are phrases without a full stop, or whole sentences")
    func phrases() {
        let phrases = Set(FaultWord.phrases.map(\.rawValue))

        // What ends with a mark has its stop, or none, from the fact.
        for (word, text) in FaultWord.texts where text.last != "}" {
            #expect((text.hasSuffix(".") || text.hasSuffix(".]")) != phrases.contains(word), "\(word)")
        }
    }

    @Test("are one for each word")
    func words() {
        let words = FaultWord.texts.map(\.word)

        #expect(Set(words).count == words.count)
        #expect(FaultWord.texts.allSatisfy { !$0.text.isEmpty })
    }
}
