/// Steps from member to member of an object that was validated before.
///
/// It looks for quotes and brackets alone, since nothing is left to validate.
struct JSONMemberWalk {
    private let bytes: [UInt8]
    private var position = 1

    init(_ object: JSONText) {
        assert(object.kind == .object)
        bytes = object.bytes
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

    /// Passes over a string.
    ///
    /// - Returns: Whether it has escapes.
    private static func skipString(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        var hasEscapes = false
        position += 1
        // Eight bytes at a time, as far as they are plain.
        while position + 8 <= bytes.count, unsafe JSONCursor.specialBytes(of: word(bytes, position)) == 0 {
            position += 8
        }
        while unsafe bytes[position] != UInt8(ascii: "\"") {
            if unsafe bytes[position] == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        position += 1
        return hasEscapes
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private static func skip(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, while isPassed: (UInt8) -> Bool
    ) {
        while unsafe isPassed(bytes[position]) { position += 1 }
    }
}
