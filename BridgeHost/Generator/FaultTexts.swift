import JSONRPC
import TrackerJSON
import TrackerModels

/// The texts about what is wrong, for the clients in other languages.
enum FaultTexts {
    static let javaScript = """
        // Made by `make generate` from the host's texts: a change here is lost.

        /**
         * What is wrong, in words: the text of each fault and of each reason. `{name}` is the mark of a fact; what is between
         * brackets is left out if one of its facts is missing.
         *
         * @type {Record<string, string>}
         */
        export const TEXTS = {
        \(members(of: FaultWord.texts))
        }

        /** The faults whose text is a phrase, a part of other sentences: it ends without a full stop. @type {Set<string>} */
        export const PHRASES = new Set([
        \(items(FaultWord.phrases))
        ])

        /** What a value must be, by the word of its kind. @type {Record<string, string>} */
        export const KINDS = {
        \(members(of: kinds))
        }

        /** What became of dropped calls, with marks as the texts. @type {Record<string, string>} */
        export const DROPS = {
        \(members(of: dropTexts))
        }

        /** What a client says of its host and of itself, with marks as the texts. @type {Record<string, string>} */
        export const CLIENT_TEXTS = {
        \(members(of: clientTexts))
        }

        /** Why a client is off, by the word of the fault. @type {Record<string, string>} */
        export const OFF_PHRASES = {
        \(members(of: offPhrases))
        }

        """

    static let python = """
        # Made by `make generate` from the host's texts: a change here is lost.
        \"\"\"What is wrong, in words.\"\"\"

        TEXTS: dict[str, str] = {
        \(entries(of: FaultWord.texts))
        }
        \"\"\"The text of each fault and of each reason. `{name}` is the mark of a fact; what is between brackets is left out if
        one of its facts is missing.\"\"\"

        PHRASES: frozenset[str] = frozenset({
        \(items(FaultWord.phrases, quote: "\""))
        })
        \"\"\"The faults whose text is a phrase, a part of other sentences: it ends without a full stop.\"\"\"

        KINDS: dict[str, str] = {
        \(entries(of: kinds))
        }
        \"\"\"What a value must be, by the word of its kind.\"\"\"

        ERRORS: dict[str, str] = {
        \(entries(of: TrackerError.Code.frames + [(RPCError.invalidParams("").code, RPCError.invalidParamText)]))
        }
        \"\"\"The text of errors, by their codes, around the fault or the facts that their data have.\"\"\"

        DROPS: dict[str, str] = {
        \(entries(of: dropTexts))
        }
        \"\"\"What became of dropped calls, with marks as the texts.\"\"\"

        CLIENT_TEXTS: dict[str, str] = {
        \(entries(of: clientTexts))
        }
        \"\"\"What a client says of its host and of itself, with marks as the texts.\"\"\"

        OFF_PHRASES: dict[str, str] = {
        \(entries(of: offPhrases))
        }
        \"\"\"Why a client is off, by the word of the fault.\"\"\"

        """

    private static let kinds = ValueKind.allCases.map { (word: $0.rawValue, text: $0.phrase) }

    private static let dropTexts = DropText.ofClients.map { (word: $0.rawValue, text: $0.text) }

    private static let clientTexts = ClientText.allCases.map { (word: $0.rawValue, text: $0.text) }

    private static let offPhrases = OffSwitch.allCases.map { (word: $0.word.rawValue, text: $0.phrase) }

    private static func items(_ words: [FaultWord], quote: String = "'") -> String {
        "    " + words.map { quote + $0.rawValue + quote }.joined(separator: ", ") + ","
    }

    private static func members(of texts: [(word: String, text: String)]) -> String {
        texts.map { "    \($0.word): \(JSONText($0.text))," }.joined(separator: "\n")
    }

    private static func entries(of texts: [(word: String, text: String)]) -> String {
        texts.map { "    \"\($0.word)\": \(JSONText(PythonNames.sentence($0.text)))," }.joined(separator: "\n")
    }
}
