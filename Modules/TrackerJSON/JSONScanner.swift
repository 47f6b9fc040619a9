/// Validates JSON (RFC 8259) in one pass over its bytes, and notes where things are.
///
/// UTF-8 is checked on the way. The walk does not recurse, so no nesting overflows the stack. A scanner keeps its
/// buffers: use one for many texts.
package struct JSONScanner: Sendable {
    /// What becomes of a `\u` escape of half a surrogate pair.
    package enum LoneSurrogates: Sendable {
        /// It is an error.
        case refused
        /// It is passed over, and the outline says where it was.
        case noted
    }

    /// Where things were in the text scanned last.
    ///
    /// Empty after an error.
    package private(set) var outline: JSONOutline
    private let maxDepth: Int
    private let outlineDepth: Int
    private let loneSurrogates: LoneSurrogates

    /// - Parameters:
    ///   - maxDepth: How deep arrays and objects may nest.
    ///   - outlineDepth: The depth of the deepest values to keep in the outline: 0 is the text's own value, 1 its
    ///     members or elements, 2 theirs; -1 keeps nothing.
    ///   - maxItems: How many values the outline keeps at most: each takes 70 bytes, in the text perhaps two.
    ///   - loneSurrogates: What becomes of half a surrogate pair.
    package init(
        maxDepth: Int, outlineDepth: Int = 2, maxItems: Int = .max, loneSurrogates: LoneSurrogates = .refused
    ) {
        outline = JSONOutline(maxItems: maxItems)
        self.maxDepth = maxDepth
        self.outlineDepth = outlineDepth
        self.loneSurrogates = loneSurrogates
        if outlineDepth > 0 { outline.reserveCapacity(16) }
    }

    /// Gives back what a text with many values has taken, and its outline with it.
    package mutating func shrink() { outline.shrink() }

    /// Scans one text, which may have white space around it.
    ///
    /// - Parameters:
    ///   - bytes: A buffer. It is not copied.
    ///   - range: Where in the buffer the text is. The offsets in the outline and in errors count from the start of
    ///     `bytes` all the same.
    /// - Returns: Where the value is, without white space.
    /// - Throws: The first fault.
    @discardableResult
    package mutating func scan(_ bytes: [UInt8], in range: Range<Int>) throws(JSONSyntaxError) -> Range<Int> {
        try unsafe bytes.span.withUnsafeBytes { buffer throws(JSONSyntaxError) in try unsafe scan(buffer, in: range) }
    }

    /// Scans one text, which may have white space around it.
    ///
    /// - Parameter bytes: The text.
    /// - Returns: Where the value is, without white space. Like all offsets, from the start of `bytes`.
    /// - Throws: The first fault.
    @discardableResult
    package mutating func scan(_ bytes: [UInt8]) throws(JSONSyntaxError) -> Range<Int> {
        try scan(bytes, in: 0..<bytes.count)
    }

    /// Scans one text, which may have white space around it.
    ///
    /// - Parameter bytes: The text.
    /// - Returns: Where the value is, without white space. Like all offsets, from the start of the slice: the first
    ///   byte has offset zero.
    /// - Throws: The first fault.
    @discardableResult
    package mutating func scan(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> Range<Int> {
        try unsafe bytes.span.withUnsafeBytes { buffer throws(JSONSyntaxError) in
            try unsafe scan(buffer, in: 0..<buffer.count)
        }
    }

    /// Scans one text, which may have white space around it, as for an array.
    @discardableResult
    package mutating func scan(
        _ bytes: UnsafeRawBufferPointer, in range: Range<Int>
    ) throws(JSONSyntaxError) -> Range<Int> {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        outline.removeAll()
        guard let base = bytes.baseAddress else { throw JSONSyntaxError(.unexpectedEnd, at: 0) }
        var cursor = unsafe JSONCursor(base: base, range: range, allowsLoneSurrogates: loneSurrogates == .noted)
        do throws(JSONSyntaxError) {
            let value = try walk(&cursor)
            outline.firstLoneSurrogate = cursor.firstLoneSurrogate < 0 ? nil : cursor.firstLoneSurrogate
            return value
        } catch {
            outline.removeAll()
            throw error
        }
    }

    private mutating func walk(_ cursor: inout JSONCursor) throws(JSONSyntaxError) -> Range<Int> {
        var nesting = JSONNesting(usualDepth: min(JSONText.maxDepth, maxDepth))
        var key = JSONOutline.Key.none
        cursor.skipWhiteSpace()
        let start = cursor.position
        values: while true {
            if try startsContainer(at: &cursor, key: key, nesting: &nesting) {
                key = nesting.isInObject ? try Self.key(at: &cursor) : .none
                continue values
            }
            while nesting.depth > 0 {
                cursor.skipWhiteSpace()
                guard !cursor.isAtEnd else { throw cursor.unexpected() }
                if cursor.byte == UInt8(ascii: ",") {
                    cursor.position &+= 1
                    cursor.skipWhiteSpace()
                    key = nesting.isInObject ? try Self.key(at: &cursor) : .none
                    continue values
                }
                guard cursor.byte == nesting.closingByte else { throw cursor.unexpected() }
                closeContainer(at: &cursor, nesting: &nesting)
            }
            break
        }
        let value = start..<cursor.position
        cursor.skipWhiteSpace()
        guard cursor.isAtEnd else { throw cursor.unexpected() }
        return value
    }

    /// Steps over the value that starts here, or into it if it is an array or object with something in it.
    ///
    /// - Returns: Whether the cursor now stands at a first element or key.
    @inline(__always) private mutating func startsContainer(
        at cursor: inout JSONCursor, key: JSONOutline.Key, nesting: inout JSONNesting
    ) throws(JSONSyntaxError) -> Bool {
        guard !cursor.isAtEnd else { throw cursor.unexpected() }
        let start = cursor.position
        let kind: JSONKind
        switch cursor.byte {
        case UInt8(ascii: "\""):
            _ = try cursor.skipString()
            kind = .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try cursor.skipNumber()
            kind = .number
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let kind = cursor.byte == UInt8(ascii: "{") ? JSONKind.object : .array
            return try openContainer(kind, at: &cursor, key: key, nesting: &nesting)
        case UInt8(ascii: "t"):
            try cursor.skip("true")
            kind = .boolean
        case UInt8(ascii: "f"):
            try cursor.skip("false")
            kind = .boolean
        case UInt8(ascii: "n"):
            try cursor.skip("null")
            kind = .null
        default:
            throw cursor.unexpected()
        }
        if nesting.depth <= outlineDepth {
            outline.append(
                kind, start..<cursor.position, depth: nesting.depth, key: key,
                hasLoneSurrogate: cursor.lastLoneSurrogate >= start
            )
        }
        return false
    }

    @inline(__always) private mutating func openContainer(
        _ kind: JSONKind, at cursor: inout JSONCursor, key: JSONOutline.Key, nesting: inout JSONNesting
    ) throws(JSONSyntaxError) -> Bool {
        if nesting.depth >= nesting.usualDepth {
            guard nesting.depth < maxDepth else { throw cursor.error(.tooDeep) }
            nesting.usualDepth = maxDepth
            outline.isDeeperThanText = true
        }
        if nesting.depth <= outlineDepth {
            outline.open(kind, at: cursor.position, depth: nesting.depth, key: key)
        }
        nesting.push(isObject: kind == .object)
        cursor.position &+= 1
        cursor.skipWhiteSpace()
        guard !cursor.isAtEnd else { throw cursor.unexpected() }
        guard cursor.byte == nesting.closingByte else { return true }
        closeContainer(at: &cursor, nesting: &nesting)
        return false
    }

    @inline(__always) private mutating func closeContainer(at cursor: inout JSONCursor, nesting: inout JSONNesting) {
        cursor.position &+= 1
        nesting.pop()
        if nesting.depth <= outlineDepth {
            outline.close(at: cursor.position, lastLoneSurrogate: cursor.lastLoneSurrogate)
        }
    }

    /// Steps over the key that must start here and the colon after it, up to its value.
    @inline(__always) private static func key(
        at cursor: inout JSONCursor
    ) throws(JSONSyntaxError) -> JSONOutline.Key {
        guard !cursor.isAtEnd, cursor.byte == UInt8(ascii: "\"") else { throw cursor.unexpected() }
        let start = cursor.position
        let hasEscapes = try cursor.skipString()
        let key = JSONOutline.Key(
            range: start..<cursor.position, hasEscapes: hasEscapes,
            hasLoneSurrogate: cursor.lastLoneSurrogate >= start
        )
        cursor.skipWhiteSpace()
        guard !cursor.isAtEnd, cursor.byte == UInt8(ascii: ":") else { throw cursor.unexpected() }
        cursor.position &+= 1
        cursor.skipWhiteSpace()
        return key
    }
}

/// The arrays and objects that are open at a place in a text: one bit each, so that millions fit.
struct JSONNesting {
    /// How many are open.
    private(set) var depth = 0
    /// The depth beyond which a closer look is due.
    var usualDepth: Int
    /// The innermost 64 or fewer, the last in the lowest bit; set means an object.
    private var innermost: UInt64 = 0
    /// The rest, by 64.
    private var outer: [UInt64] = []

    init(usualDepth: Int) {
        self.usualDepth = usualDepth
    }

    @inline(__always) var isInObject: Bool { innermost & 1 == 1 }

    /// The byte that closes the innermost.
    @inline(__always) var closingByte: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    @inline(__always) mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 {
            outer.append(innermost)
            innermost = 0
        }
        innermost = innermost &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(__always) mutating func pop() {
        depth &-= 1
        innermost &>>= 1
        if depth & 63 == 0, let last = outer.popLast() { innermost = last }
    }
}
