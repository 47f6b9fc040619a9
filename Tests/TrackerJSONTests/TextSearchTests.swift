import Testing
import TrackerJSON

@Suite("Text search")
struct TextSearchTests {
    @Test(
        "finds the first place of a text",
        arguments: [
            ("https://a://b", "://", 5), ("::1", "::", 0), ("a:b:c::", "::", 5), ("aab", "ab", 1), ("ä://", "://", 2),
        ])
    func finds(text: String, mark: String, offset: Int) throws {
        let place = try #require(text.place(of: mark))

        #expect(text.utf8.distance(from: text.startIndex, to: place.lowerBound) == offset)
        #expect(text[place] == mark)
    }

    @Test("finds nothing where the text ends before the mark does", arguments: ["", ":", "https:/", "https:/ /"])
    func findsNothing(text: String) {
        #expect(text.place(of: "://") == nil)
        #expect(text.dropFirst().place(of: "://") == nil)
    }
}
