/// Steps from member to member of an object that was validated before.
///
/// It looks for quotes and brackets alone, since nothing is left to validate.
struct JSONMemberWalk {
    private let bytes: [UInt8]
    private var position: Int

    init(_ object: JSONText) { self.init(object.bytes, from: 0) }

    /// Steps through an object that begins at a place among other bytes.
    init(_ bytes: [UInt8], from start: Int) {
        assert(bytes[start] == UInt8(ascii: "{"))
        self.bytes = bytes
        position = start + 1
    }

    /// The next member; `nil` after the last.
    mutating func next() -> (key: JSONOutline.Key, value: Range<Int>)? {
        var position = position
        let member = unsafe bytes.span.withUnsafeBytes { bytes -> (JSONOutline.Key, Range<Int>)? in
            unsafe Self.member(in: bytes, &position)
        }
        self.position = position
        return member
    }

    private static func member(
        in bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) -> (JSONOutline.Key, Range<Int>)? {
        unsafe skip(bytes, &position) { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
        guard unsafe bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position
        let hasEscapes = unsafe skipString(bytes, &position)
        let key = JSONOutline.Key(range: start..<position, hasEscapes: hasEscapes, hasLoneSurrogate: false)
        unsafe skip(bytes, &position) { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
        let value = position
        unsafe skipValue(bytes, &position)
        return (key, value..<position)
    }

    private static func skipValue(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) {
        switch unsafe bytes[position] {
        case UInt8(ascii: "\""): _ = unsafe skipString(bytes, &position)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var depth = 0
            repeat {
                switch unsafe bytes[position] {
                case UInt8(ascii: "\""):
                    _ = unsafe skipString(bytes, &position)
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                position += 1
            } while depth > 0
        default: unsafe skip(bytes, &position) { $0 > 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        }
    }

    /// - Returns: Whether it has escapes.
    private static func skipString(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        var hasEscapes = false
        position += 1
        while true {
            // Eight bytes at a time, as far as they are plain.
            if position + 8 <= bytes.count {
                let special = unsafe JSONCursor.specialBytes(
                    of: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
                position += special == 0 ? 8 : special.trailingZeroBitCount >> 3
                if special == 0 { continue }
            }
            switch unsafe bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 2
            default: position += 1
            }
        }
    }

    private static func skip(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, while isPassed: (UInt8) -> Bool
    ) {
        while unsafe isPassed(bytes[position]) { position += 1 }
    }
}
