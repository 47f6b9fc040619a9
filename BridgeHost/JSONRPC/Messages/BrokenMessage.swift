import TrackerJSON

/// A message that is not JSON: the id and the place of the fault, as far as they can be read.
struct BrokenMessage {
    let bytes: [UInt8]
    let range: Range<Int>
    /// Where the first fault is.
    let fault: Int

    /// The id that the client waits for, as it is spelled; `nil` if there is none, or if it could be another call's.
    ///
    /// An id before the fault is certain. One after it counts if all brackets and quotes match, as they do around a
    /// `NaN`. Two ids, or anything after the message, may be two messages in one.
    var id: [UInt8]? {
        var reader = IDReader(bytes: bytes, range: range)
        let isWhole = reader.read()
        guard reader.ids.count == 1, let id = reader.ids.first, isWhole || id.upperBound <= fault else { return nil }
        guard let text = try? JSONText(validating: bytes[id]) else { return nil }  // Then the fault is the id itself.
        return text.kind == .string || text.kind == .number ? Array(bytes[id]) : nil
    }

    /// What to say besides where the fault is; empty if there is nothing.
    var hint: String {
        let isNotFinite = ["NaN", "Infinity", "-Infinity"].contains { word in
            bytes[range.clamped(to: fault..<range.upperBound)].starts(with: word.utf8)
                || word.first == "-" && fault > range.lowerBound && bytes[(fault - 1)...].starts(with: word.utf8)
        }
        guard isNotFinite else { return "" }
        return " JSON has no NaN and no infinities; Python's json.dumps refuses them with allow_nan=False."
    }
}

/// Looks for the ids of an object without checking anything but quotes and brackets.
private struct IDReader {
    let bytes: [UInt8]
    let range: Range<Int>
    /// Where the values of members named `id` are.
    private(set) var ids: [Range<Int>] = []
    private var index: Int
    private var open: [UInt8] = []

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        self.range = range
        index = range.lowerBound
    }

    /// - Returns: Whether the brackets and quotes match and nothing follows the object.
    mutating func read() -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: "{") else { return false }
        var isKeyNext = false
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = skipString() else { return false }
                if isKeyNext, bytes[string].elementsEqual("\"id\"".utf8), !readID() { return false }
                isKeyNext = false
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte + 2)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == byte else { return false }
                index += 1
                guard open.isEmpty else { continue }
                skipBlanks()
                // A second message may follow, and the id could belong to either.
                if next != nil { ids = [] }
                return next == nil
            default: break
            }
            if !Blank.contains(byte) {
                isKeyNext = open.count == 1 && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: ","))
            }
            index += 1
        }
        return false
    }

    private var next: UInt8? { index < range.upperBound ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, Blank.contains(byte) { index += 1 }
    }

    /// - Returns: Where the string is, with its quotes; `nil` if it does not end.
    private mutating func skipString() -> Range<Int>? {
        let start = index
        index += 1
        while let byte = next {
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return start..<index }
        }
        return nil
    }

    /// Takes the value after the name `id`.
    ///
    /// - Returns: Whether it is a value and ends.
    private mutating func readID() -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: ":") else { return false }
        index += 1
        skipBlanks()
        let start = index
        if next == UInt8(ascii: "\"") {
            guard skipString() != nil else { return false }
        } else {
            while let byte = next, !Blank.contains(byte), !",{}[]\"".utf8.contains(byte) { index += 1 }
        }
        let value = start..<index
        skipBlanks()
        guard next == UInt8(ascii: ",") || next == UInt8(ascii: "}") else { return false }
        ids.append(value)
        return true
    }
}
