// Texts, JSON or not: the scanner stays inside them and finds the same wherever they lie, and what it accepts can be
// taken apart, put together and read again.

@testable import TrackerJSON

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let bytes = unsafe Array(buffer)
    let found = scan { scanner throws(JSONSyntaxError) in try unsafe scanner.scan(buffer, in: 0..<count) }
    checkInside(bytes, found)
    switch found {
    case .success(let range):
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a value outside the text")
        checkText(bytes)
    case .failure(let error):
        precondition(0...count ~= error.offset, "a fault outside the text")
        precondition((try? JSONText(validating: bytes, maxDepth: maxDepth)) == nil, "a text that the scanner refused")
    }
    return 0
}

/// Low, so that few bytes reach it.
private let maxDepth = 12

private func scan(
    _ body: (inout JSONScanner) throws(JSONSyntaxError) -> Range<Int>
) -> Result<Range<Int>, JSONSyntaxError> {
    var scanner = JSONScanner(maxDepth: maxDepth)
    do throws(JSONSyntaxError) { return .success(try body(&scanner)) } catch { return .failure(error) }
}

/// The text inside a longer one, whose bytes must not matter, at an offset of another alignment.
private func checkInside(_ bytes: [UInt8], _ found: Result<Range<Int>, JSONSyntaxError>) {
    let before = Array("[\"\\".utf8)
    for after in ["0]\"}", "\u{80}\\u0000"] {
        let longer = before + bytes + Array(after.utf8)
        let range = before.count..<before.count + bytes.count
        switch (found, scan { scanner throws(JSONSyntaxError) in try scanner.scan(longer, in: range) }) {
        case (.success(let one), .success(let other)):
            precondition(other == one.lowerBound + before.count..<one.upperBound + before.count, "another value")
        case (.failure(let one), .failure(let other)):
            precondition(one.kind == other.kind && one.offset + before.count == other.offset, "another fault")
        default: preconditionFailure("accepted in one place alone")
        }
    }
}

private func checkText(_ bytes: [UInt8]) {
    guard let text = try? JSONText(validating: bytes, maxDepth: maxDepth) else {
        preconditionFailure("the scanner accepts it, a text does not")
    }
    let tree = JSONValue(text)
    guard let written = try? JSONText(tree) else { preconditionFailure("a tree that cannot be written") }
    precondition(isText(written) && JSONValue(written) == tree, "a tree that reads otherwise")
    let parts = text.elements + text.members.map(\.value)
    precondition(parts.allSatisfy(isText), "a part that is no JSON")
    precondition(isText(JSONText(elements: parts)), "an array that is no JSON")
    let merged = JSONText.merging([text, .emptyObject, text])
    precondition(isText(merged) && merged.kind == .object, "a merger that is no object")
    for member in text.members {
        precondition(text.value(forKey: member.key) == member.value, "a member that is not found")
        precondition(merged.value(forKey: member.key) == member.value, "a member that was lost")
        precondition(text.removing([member.key]).value(forKey: member.key) == nil, "a member that stays")
    }
    if let string = text.stringValue { precondition(JSONText(string).stringValue == string, "another string") }
    _ = (text.intValue, text.doubleValue)
}

private func isText(_ text: JSONText) -> Bool {
    (try? JSONText(validating: text.bytes, maxDepth: maxDepth + 1)) != nil
}
