import TestSupport
import Testing
import TrackerJSON

@Suite("JSON, generated")
struct JSONGeneratedTests {
    @Test("reads, writes and reads again what Python reads")
    func agreesWithPython() throws {
        let seed = Seeds.base()
        var random = RandomJSON(seed: seed)
        let texts = try (0..<4000).map { _ in try JSONText(validating: random.text()) }
        let trees = texts.map { JSONValue($0) }
        let written = try trees.map { tree throws(JSONSyntaxError) in try JSONText(tree) }

        let answers = try PythonJSON.answers(to: texts.map(\.bytes) + written.map(\.bytes))

        for (index, tree) in trees.enumerated() {
            let expected = PythonJSON.Answer.read(rendering: PythonJSON.rendering(of: tree))
            #expect(answers[index] == expected, "seed \(seed): \(texts[index])")
            #expect(answers[index + trees.count] == expected, "seed \(seed): \(written[index])")
            #expect(JSONValue(written[index]) == tree, "seed \(seed): \(written[index])")
        }
    }

    @Test("accepts and refuses damaged texts as Python does")
    func agreesOnDamage() throws {
        let seed = Seeds.base()
        var random = RandomJSON(seed: seed)
        let texts = (0..<6000).map { _ in random.damaged(random.text(depth: 3)) }

        let answers = try PythonJSON.answers(to: texts)

        var accepted = 0
        for (text, answer) in zip(texts, answers) {
            let comment: Comment = "seed \(seed): \(String(decoding: text, as: UTF8.self))"
            do throws(JSONSyntaxError) {
                let json = try JSONText(validating: text)
                let rendering = PythonJSON.rendering(of: JSONValue(json))
                #expect(answer == .read(rendering: rendering), comment)
                accepted += 1
            } catch {
                #expect(answer == .refused || error.kind == .loneSurrogate && answer == .readLoneSurrogate, comment)
            }
        }
        #expect(accepted > 100 && accepted < texts.count - 100)
    }
}
