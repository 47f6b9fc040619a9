/// Writes one JSON object, member by member, straight into text.
///
/// Members stand in the order in which they are appended. The writer does not look for keys that come twice.
package struct JSONObjectWriter: Sendable {
    private var bytes: [UInt8]

    /// - Parameter capacity: About how many bytes will be written.
    package init(reservingCapacity capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Takes up an object that was written before, after so many of its bytes, at the end of a member.
    package init(resuming object: JSONText, after count: Int, reservingCapacity capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        unsafe object.bytes.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0[..<count]) }
    }

    /// How many bytes are written by now.
    package var byteCount: Int { bytes.count }

    /// Appends a member whose value is text, as it is.
    package mutating func append(_ key: String, _ value: JSONText) {
        appendKey(key)
        bytes += value.bytes
    }

    /// Appends a string, escaped where it must be.
    package mutating func append(_ key: String, _ value: String) {
        appendKey(key)
        JSONEscape.append(value, to: &bytes)
    }

    package mutating func append(_ key: String, _ value: Int64) {
        appendKey(key)
        bytes += value.description.utf8
    }

    /// Appends a number in its spelling.
    package mutating func append(_ key: String, _ value: JSONNumber) {
        appendKey(key)
        bytes += value.text.utf8
    }

    package mutating func append(_ key: String, _ value: Bool) {
        appendKey(key)
        bytes += value.description.utf8
    }

    package mutating func appendNull(_ key: String) {
        appendKey(key)
        bytes += "null".utf8
    }

    /// Appends all members of an object, as they are written.
    ///
    /// A text of another kind has none.
    package mutating func append(membersOf object: JSONText) {
        guard object.hasMembers else { return }
        appendComma()
        unsafe object.bytes.withUnsafeBufferPointer { members in
            unsafe bytes.append(contentsOf: members[1..<members.count - 1])
        }
    }

    /// Appends members as they are written, at least one.
    package mutating func append(members: ArraySlice<UInt8>) {
        appendComma()
        bytes += members
    }

    /// Appends an object with the members of both, of which the second wins.
    package mutating func append(_ key: String, merging first: JSONText, _ second: JSONText) {
        appendKey(key)
        let start = bytes.count
        bytes.append(UInt8(ascii: "{"))
        append(membersOf: first)
        append(membersOf: second)
        bytes.append(UInt8(ascii: "}"))
        guard !JSONMemberList.hasDistinctKeys(bytes, from: start) else { return }
        let merged = JSONMemberList(JSONText(accepted: bytes, in: start..<bytes.count)).text
        bytes.replaceSubrange(start..., with: merged.bytes)
    }

    /// Appends a member as it is written.
    mutating func append(spelledMember member: ArraySlice<UInt8>) {
        appendComma()
        bytes += member
    }

    /// Appends a member from its parts as they are written.
    mutating func append(spelledKey key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        appendComma()
        bytes += key
        bytes.append(UInt8(ascii: ":"))
        bytes += value
    }

    /// Ends the object. Nothing can be appended after that.
    package mutating func finish() -> JSONText {
        bytes.append(UInt8(ascii: "}"))
        // A copy of the writer would share the bytes, and they would be copied for this last one.
        defer { bytes = [] }
        return JSONText(accepted: bytes)
    }

    private mutating func appendKey(_ key: String) {
        appendComma()
        JSONEscape.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendComma() {
        // No value ends with the byte that opens an object.
        if bytes[bytes.count - 1] != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    }
}
