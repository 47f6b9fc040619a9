import Foundation
import Testing
import TrackerModels

@Suite("Random UUIDs")
struct UUIDTextTests {
    @Test("are of version 4, in lower case, and use every digit")
    func form() throws {
        var seen = Array(repeating: Set<Character>(), count: 36)

        for _ in 0..<2_000 {
            let text = UUIDText.random()
            #expect(UUID(uuidString: text)?.uuidString.lowercased() == text)
            for (place, character) in text.enumerated() { seen[place].insert(character) }
        }

        for (place, characters) in seen.enumerated() {
            switch place {
            case 8, 13, 18, 23: #expect(characters == ["-"])
            case 14: #expect(characters == ["4"])
            case 19: #expect(characters == ["8", "9", "a", "b"])
            default: #expect(characters == Set("0123456789abcdef"))
            }
        }
    }
}
