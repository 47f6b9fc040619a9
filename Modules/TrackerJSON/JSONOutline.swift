/// Where the outer values of a scanned text are, as offsets into the buffer that was scanned.
///
/// The items stand in the order of the text, a container before what it holds. The first is the text's own value.
package struct JSONOutline: Sendable {
    /// A member's name, as it stands in the text.
    package struct Key: Hashable, Sendable {
        /// Where it is, with its quotes.
        ///
        /// Empty for what has no key.
        package let range: Range<Int>
        /// Whether it has escapes, and its bytes are therefore not its characters.
        package let hasEscapes: Bool
        /// Whether it has half a surrogate pair.
        package let hasLoneSurrogate: Bool

        /// The key of what has none: the text's own value, and elements of arrays.
        static let none = Key(range: 0..<0, hasEscapes: false, hasLoneSurrogate: false)

        /// Where its characters are, without the quotes.
        package var content: Range<Int> {
            range.isEmpty ? range : range.lowerBound + 1..<range.upperBound - 1
        }

        /// Its characters as UTF-8, given the bytes that were scanned.
        package func characters(in bytes: [UInt8]) -> ArraySlice<UInt8> {
            hasEscapes ? JSONEscape.unescaped(bytes[content])[...] : bytes[content]
        }

        /// Whether it is `name`, byte for byte after unescaping.
        package func matches(_ name: String, in bytes: [UInt8]) -> Bool {
            guard !range.isEmpty else { return false }
            guard hasEscapes || content.count == name.utf8.count else { return false }
            return characters(in: bytes).isUTF8(of: name)
        }

        /// Whether it is `name`, which has no character that must be escaped, and is spelled without escapes.
        package func isSpelled(_ name: StaticString, in bytes: [UInt8]) -> Bool {
            guard content.count == name.utf8CodeUnitCount else { return false }
            return unsafe bytes.withUnsafeBufferPointer { bytes in
                for offset in 0..<name.utf8CodeUnitCount
                where unsafe bytes[content.lowerBound + offset] != name.utf8Start[offset] { return false }
                return true
            }
        }
    }

    package struct Item: Hashable, Sendable {
        /// The name under which an object holds it.
        package let key: Key
        package fileprivate(set) var value: Range<Int>
        package let kind: JSONKind
        /// Whether it has, at any depth and in values or keys, half a surrogate pair.
        package fileprivate(set) var hasLoneSurrogate: Bool
        /// How many arrays and objects it is in.
        package let depth: Int
        /// The index of the item it is directly in; -1 for the text's own value.
        package let parent: Int
    }

    /// How many values it has room for between texts: 36 KB.
    private static let usualItems = 512

    /// The values, as deep as the scanner was told to keep them.
    package private(set) var items: [Item] = []
    /// The offset of the first half of a surrogate pair that stands alone, if any does.
    package internal(set) var firstLoneSurrogate: Int?
    /// Whether the text has more values than the scanner was told to keep; those that come last are missing.
    package private(set) var isCut = false
    /// How many values are kept at most.
    private let maxItems: Int
    /// Whether anything in the text nests deeper than ``JSONText/maxDepth``.
    var isDeeperThanText = false
    /// The indices of the items that are open, outermost first; -1 for those that are not kept.
    private var open: [Int] = []

    init(maxItems: Int = .max) {
        self.maxItems = maxItems
    }

    /// The text's own value, if the scanner was told to keep it.
    package var root: Item? { items.first }

    /// The index of the value that the object at `index` has under `name`; of several, the last.
    ///
    /// - Parameters:
    ///   - name: A key. It is compared by its bytes, after unescaping.
    ///   - index: The object's item.
    ///   - bytes: What was scanned.
    package func member(_ name: String, of index: Int, in bytes: [UInt8]) -> Int? {
        var found: Int?
        var child = index + 1
        while child < items.count, items[child].depth > items[index].depth {
            if items[child].parent == index, items[child].key.matches(name, in: bytes) { found = child }
            child += 1
        }
        return found
    }

    /// The item at `index` as a text of its own, which is held to the rules for one.
    ///
    /// As a rule the scan has already shown that the item obeys them, and its bytes are only copied.
    ///
    /// - Parameters:
    ///   - index: The item.
    ///   - bytes: What was scanned.
    /// - Throws: `tooDeep` if the item itself nests deeper than ``JSONText/maxDepth``, `loneSurrogate` if it has half a
    ///   surrogate pair; offsets count from the item's start.
    package func text(at index: Int, in bytes: [UInt8]) throws(JSONSyntaxError) -> JSONText {
        let item = items[index]
        guard !item.hasLoneSurrogate, !isDeeperThanText else {
            return try JSONText(validating: bytes[item.value])
        }
        return JSONText(accepted: bytes, in: item.value)
    }

    /// Whether half a surrogate pair stands anywhere but in the value of the item at `index`.
    ///
    /// - Parameter index: A direct member or element of the text's own value.
    package func hasLoneSurrogate(outsideItemAt index: Int) -> Bool {
        guard let first = firstLoneSurrogate else { return false }
        guard items[index].value.contains(first) else { return true }
        return items.indices.contains { other in
            items[other].depth == 1
                && (items[other].key.hasLoneSurrogate || other != index && items[other].hasLoneSurrogate)
        }
    }

    mutating func reserveCapacity(_ count: Int) {
        items.reserveCapacity(count)
    }

    /// Empties it; what a text with many values has taken is given back.
    mutating func shrink() {
        guard items.capacity > Self.usualItems else { return }
        items = []
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        firstLoneSurrogate = nil
        isDeeperThanText = false
        isCut = false
    }

    @inline(__always) mutating func append(
        _ kind: JSONKind, _ value: Range<Int>, depth: Int, key: Key, hasLoneSurrogate: Bool
    ) {
        guard items.count < maxItems else {
            isCut = true
            return
        }
        items.append(
            Item(
                key: key, value: value, kind: kind, hasLoneSurrogate: hasLoneSurrogate, depth: depth,
                parent: open.last ?? -1
            )
        )
    }

    @inline(__always) mutating func open(_ kind: JSONKind, at offset: Int, depth: Int, key: Key) {
        append(kind, offset..<offset, depth: depth, key: key, hasLoneSurrogate: false)
        open.append(isCut ? -1 : items.count - 1)
    }

    @inline(__always) mutating func close(at offset: Int, lastLoneSurrogate: Int) {
        guard let index = open.popLast(), index >= 0 else { return }
        let start = items[index].value.lowerBound
        items[index].value = start..<offset
        items[index].hasLoneSurrogate = lastLoneSurrogate >= start
    }
}
