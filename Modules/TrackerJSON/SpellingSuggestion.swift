/// Guesses what a misspelled name was meant to be.
package enum SpellingSuggestion {
    /// The known name that can be reached with the fewest edits.
    ///
    /// Case, and the underscores, hyphens and dots between words, do not count.
    ///
    /// - Parameters:
    ///   - name: What was written. Only its beginning is looked at, so that long input costs little.
    ///   - known: What could be meant.
    /// - Returns: `nil` if nothing is near: more than two in five letters would have to change.
    package static func nearest(to name: String, among known: some Sequence<String>) -> String? {
        let letters = folded(name)
        return known.map { (name: $0, distance: distance(letters, folded($0))) }
            .filter { $0.distance * 5 <= 2 * max(letters.count, 5) }
            .min { $0.distance < $1.distance }?.name
    }

    /// The shortest known name that begins with what was written, if that is four letters or more.
    ///
    /// - Parameters:
    ///   - name: What was written.
    ///   - known: What could be meant.
    package static func completion(of name: String, among known: some Sequence<String>) -> String? {
        let letters = folded(name)
        guard letters.count >= 4 else { return nil }
        return known.filter { folded($0).starts(with: letters) }.min { $0.utf8.count < $1.utf8.count }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.prefix(64).filter { !"_-.".utf8.contains($0) }
            .map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// How many letters must be put in, taken out, replaced, or swapped with their neighbour.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, otherLetter) in other.enumerated() {
                var edits = min(last[j] + (letter == otherLetter ? 0 : 1), row[j] + 1, last[j + 1] + 1)
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == otherLetter {
                    edits = min(edits, before[j - 1] + 1)
                }
                row.append(edits)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
