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

    @Test(
        "puts another text in each place of a mark, and in none that comes of that",
        arguments: [
            ("key", "*"), ("a key, a key", "a *, a *"), ("kkeyey", "k*ey"), ("ä", "ä"), ("", ""), ("keke", "keke"),
        ])
    func replaces(text: String, expected: String) {
        #expect(text.replacingMark("key", with: "*") == expected)
        #expect(text.replacingMark("", with: "*") == text)
        #expect(text.replacingMark("key", with: "key") == text)
    }
}

@Suite("Bytes of ASCII")
struct ASCIITests {
    private static let bytes = UInt8.min...UInt8.max

    private func text(_ isWanted: (UInt8) -> Bool) -> String {
        String(decoding: Self.bytes.filter(isWanted), as: UTF8.self)
    }

    @Test("are told apart by what they are")
    func classes() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

        #expect(text(\.isASCIIDigit) == "0123456789")
        #expect(text(\.isASCIILetter) == letters)
        #expect(text(\.isASCIIAlphanumeric) == "0123456789\(letters)")
    }

    @Test("have the value of a hexadecimal digit in either case, and no other byte has one")
    func hexadecimalValues() {
        #expect(text { $0.hexadecimalValue != nil } == "0123456789ABCDEFabcdef")
        #expect("0189afAF".utf8.map(\.hexadecimalValue) == [0, 1, 8, 9, 10, 15, 10, 15])
    }
}
