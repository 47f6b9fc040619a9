/// The top-level members of an object, each key once, as spans of the object's text.
///
/// A key has the place where it first stood and the value that it last had.
struct JSONMemberList {
    private struct Member {
        let key: JSONOutline.Key
        /// What equal keys have in common, and others seldom.
        let digest: UInt64
        var value: Range<Int>
        /// Whether the value is another than the one that follows the key.
        var isRepeated = false
    }

    /// From how many members on keys are found by hash: fewer are compared faster than hashed.
    private static let hashingThreshold = 24

    private let object: JSONText
    private var members: [Member] = []
    /// Whether the members are all that the text has, in their order.
    private var isUnchanged = true
    /// The places of the keys' characters, once there are many.
    private var places: [ArraySlice<UInt8>: Int] = [:]

    /// Reads the members of an object.
    ///
    /// - Parameter object: An object. A text of another kind has no members.
    init(_ object: JSONText) {
        self.object = object.kind == .object ? object : .emptyObject
        members.reserveCapacity(8)
        var walk = JSONMemberWalk(self.object)
        while let member = walk.next() { set(member.key, member.value) }
    }

    var count: Int { members.count }

    var text: JSONText {
        guard !isUnchanged else { return object }
        var writer = JSONObjectWriter(reservingCapacity: object.byteCount)
        for member in members {
            let key = member.key.range
            if member.isRepeated {
                writer.append(spelledKey: object.bytes[key], object.bytes[member.value])
            } else {
                writer.append(spelledMember: object.bytes[key.lowerBound..<member.value.upperBound])
            }
        }
        return writer.finish()
    }

    /// The characters of the key at a place.
    func key(at place: Int) -> ArraySlice<UInt8> {
        members[place].key.characters(in: object.bytes)
    }

    func value(at place: Int) -> ArraySlice<UInt8> {
        object.bytes[members[place].value]
    }

    /// Takes out the members with these keys.
    mutating func remove(_ keys: [String]) {
        let places = Set(
            keys.compactMap { key in
                let characters = Array(key.utf8)
                return place(of: Self.digest(of: characters, in: characters.indices)) { characters[...] }
            }
        )
        guard !places.isEmpty else { return }
        isUnchanged = false
        members = members.indices.filter { !places.contains($0) }.map { members[$0] }
        index()
    }

    private mutating func set(_ key: JSONOutline.Key, _ value: Range<Int>) {
        let digest = digest(of: key)
        if let place = place(of: digest, matching: { key.characters(in: object.bytes) }) {
            members[place].value = value
            members[place].isRepeated = true
            isUnchanged = false
            return
        }
        members.append(Member(key: key, digest: digest, value: value))
        if members.count == Self.hashingThreshold + 1 {
            index()
        } else if members.count > Self.hashingThreshold {
            places[key.characters(in: object.bytes)] = members.count - 1
        }
    }

    /// The place of the key with this digest and these characters, which are asked for only if need be.
    private func place(of digest: UInt64, matching characters: () -> ArraySlice<UInt8>) -> Int? {
        guard members.count <= Self.hashingThreshold else { return places[characters()] }
        return members.indices.first { members[$0].digest == digest && key(at: $0) == characters() }
    }

    private mutating func index() {
        places = [:]
        guard members.count > Self.hashingThreshold else { return }
        for place in members.indices { places[key(at: place)] = place }
    }

    private func digest(of key: JSONOutline.Key) -> UInt64 {
        guard key.hasEscapes else { return Self.digest(of: object.bytes, in: key.content) }
        let characters = JSONEscape.unescaped(object.bytes[key.content])
        return Self.digest(of: characters, in: characters.indices)
    }

    /// Whether no key of an object comes twice: `true` is certain, `false` may be wrong.
    ///
    /// Most objects that are merged have no key in common. A filter of a bit for each key shows that faster than a list.
    static func hasDistinctKeys(_ bytes: [UInt8], from start: Int) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { filter in
            unsafe filter.initialize(repeating: 0)
            var walk = JSONMemberWalk(bytes, from: start)
            while let (key, _) = walk.next() {
                guard !key.hasEscapes else { return false }
                // The upper ten bits of the product choose one of 1,024 (Fibonacci hashing).
                let place = Int((digest(of: bytes, in: key.content) &* 0x9E37_79B9_7F4A_7C15) >> 54)
                let bit: UInt64 = 1 << UInt64(place & 63)
                guard unsafe filter[place >> 6] & bit == 0 else { return false }
                unsafe filter[place >> 6] |= bit
            }
            return true
        }
    }

    /// The last eight bytes and the length.
    private static func digest(of bytes: [UInt8], in range: Range<Int>) -> UInt64 {
        guard range.count < 8 else {
            let last = unsafe bytes.span.withUnsafeBytes { bytes in
                unsafe bytes.loadUnaligned(fromByteOffset: range.upperBound - 8, as: UInt64.self)
            }
            return UInt64(littleEndian: last) &+ UInt64(truncatingIfNeeded: range.count)
        }
        var digest = UInt64(truncatingIfNeeded: range.count)
        for place in range { digest = digest << 8 | UInt64(bytes[place]) }
        return digest
    }
}

extension JSONText {
    /// One object with the members of all.
    ///
    /// Only top-level keys are merged. A key keeps the place where it first stood and takes the value that it last had,
    /// also if one object repeats it. Keys and values keep their spelling.
    ///
    /// - Parameter objects: Objects, the last of which wins. A text of another kind counts as an empty object.
    package static func merging(_ objects: [JSONText]) -> JSONText { joining(objects).merged }

    /// One object with the members of both, of which the second wins.
    package static func merging(_ first: JSONText, _ second: JSONText) -> JSONText {
        var writer = JSONObjectWriter(reservingCapacity: first.byteCount + second.byteCount)
        writer.append(membersOf: first)
        writer.append(membersOf: second)
        return writer.finish().merged
    }

    /// This object with each key once.
    private var merged: JSONText {
        kind == .object && JSONMemberList.hasDistinctKeys(bytes, from: 0) ? self : JSONMemberList(self).text
    }

    /// This object without the members that have one of these keys.
    ///
    /// - Parameter keys: Keys, compared by their bytes after unescaping.
    package func removing(_ keys: [String]) -> JSONText {
        var list = JSONMemberList(self)
        list.remove(keys)
        return list.text
    }

    /// One object with the members of all, spliced without looking at their keys.
    private static func joining(_ objects: [JSONText]) -> JSONText {
        guard objects.count != 1 else { return objects[0] }
        var writer = JSONObjectWriter(reservingCapacity: objects.reduce(2) { $0 + $1.byteCount })
        for object in objects { writer.append(membersOf: object) }
        return writer.finish()
    }
}
