import Testing
import TrackerJSON

@Suite("JSONText and the grammar")
struct JSONAcceptanceTests {
    @Test("accepts what RFC 8259 allows and names the first fault of the rest", arguments: JSONHardCase.all)
    func verdict(of text: JSONHardCase) {
        var fault: JSONSyntaxError?
        do throws(JSONSyntaxError) {
            let json = try JSONText(validating: text.bytes)
            #expect(text.bytes.split(separator: json.bytes, omittingEmptySubsequences: false).count == 2)
        } catch {
            fault = error
        }

        #expect(fault == text.fault)
    }

    @Test("agrees with Python on every hard text but half surrogate pairs, which Python lets pass")
    func agreesWithPython() throws {
        let answers = try PythonJSON.answers(to: JSONHardCase.all.map(\.bytes))

        for (text, answer) in zip(JSONHardCase.all, answers) {
            switch (text.fault?.kind, answer) {
            case (nil, .read(let rendering)):
                let tree = JSONValue(try JSONText(validating: text.bytes))
                #expect(PythonJSON.rendering(of: tree) == rendering, "\(text.testDescription)")
            case (.loneSurrogate, .readLoneSurrogate), (.some, .refused): break
            default:
                Issue.record("\(text.testDescription): \(text.fault?.description ?? "accepted"), Python: \(answer)")
            }
        }
    }

    @Test(
        "agrees with Python on what any single byte may stand for", arguments: ["", "[", "\"", "\"\\", "1", "{\"a\":1"])
    func agreesOnSingleBytes(prefix: String) throws {
        let endings = ["", "]", "\"", "}"].map { Array($0.utf8) }
        let texts = (0...255).flatMap { byte in endings.map { Array(prefix.utf8) + [UInt8(byte)] + $0 } }

        let answers = try PythonJSON.answers(to: texts)

        for (text, answer) in zip(texts, answers) {
            let isAccepted = (try? JSONText(validating: text)) != nil
            #expect(isAccepted == (answer != .refused), "\(text)")
        }
    }

    @Test("says what is wrong in a sentence, without quoting the text", arguments: JSONSyntaxError.Kind.allCases)
    func describes(kind: JSONSyntaxError.Kind) {
        let description = JSONSyntaxError(kind, at: 17).description

        #expect(description.hasSuffix("at byte 17."))
    }
}
