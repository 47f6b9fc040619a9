/// The top-level members of several objects in one list, each key once, as spans of the objects' texts.
///
/// A key has the place where it first stood and the value that it last had.
struct JSONMemberList {
    /// One member, as it stands in the texts it came from.
    private struct Member {
        /// The index of the text that has the key.
        let keySource: Int
        let key: JSONOutline.Key
        /// What two equal keys have in common, and two others seldom.
        let digest: UInt64
        /// The index of the text that has the value.
        var valueSource: Int
        var value: Range<Int>
        /// Whether the value is another than the one that follows the key.
        var isRepeated = false
    }

    /// From how many members on keys are found by hash: fewer are compared faster than hashed.
    private static let hashingThreshold = 24

    private let sources: [[UInt8]]
    private var members: [Member] = []
    /// Whether the members are all that the texts have, in their order.
    private var isUnchanged = true
    /// The places of the keys' characters, once there are many.
    private var places: [ArraySlice<UInt8>: Int] = [:]

    /// Reads the members of objects, in order.
    ///
    /// - Parameter objects: Objects. A text of another kind has no members.
    init(_ objects: [JSONText]) {
        sources = objects.lazy.filter { $0.kind == .object }.map(\.bytes)
        var scanner = JSONScanner(maxDepth: .max, outlineDepth: 1)
        members.reserveCapacity(Self.hashingThreshold)
        for source in sources.indices {
            // The bytes were accepted before, so there is nothing to throw.
            _ = try? scanner.scan(sources[source])
            for item in scanner.outline.items.dropFirst() { set(item, from: source) }
        }
    }

    /// How many members there are.
    var count: Int { members.count }

    /// The characters of the key at a place.
    func key(at place: Int) -> ArraySlice<UInt8> {
        members[place].key.characters(in: sources[members[place].keySource])
    }

    /// The value at a place.
    func value(at place: Int) -> ArraySlice<UInt8> {
        sources[members[place].valueSource][members[place].value]
    }

    /// The list as an object.
    var text: JSONText {
        var writer = JSONObjectWriter(reservingCapacity: sources.reduce(2) { $0 + $1.count })
        if isUnchanged {
            for source in sources { writer.append(membersOf: source) }
        } else {
            for member in members { append(member, to: &writer) }
        }
        return writer.finish()
    }

    /// Takes out the members with these keys.
    mutating func remove(_ keys: [String]) {
        let places = Set(keys.compactMap { place(of: Array($0.utf8)[...]) })
        guard !places.isEmpty else { return }
        isUnchanged = false
        members = members.indices.filter { !places.contains($0) }.map { members[$0] }
        index()
    }

    private func append(_ member: Member, to writer: inout JSONObjectWriter) {
        let key = member.key.range
        if member.isRepeated {
            writer.append(spelledKey: sources[member.keySource][key], sources[member.valueSource][member.value])
        } else {
            writer.append(spelledMember: sources[member.keySource][key.lowerBound..<member.value.upperBound])
        }
    }

    private mutating func set(_ item: JSONOutline.Item, from source: Int) {
        let characters = item.key.characters(in: sources[source])
        if let place = place(of: characters) {
            members[place].valueSource = source
            members[place].value = item.value
            members[place].isRepeated = true
            isUnchanged = false
            return
        }
        members.append(
            Member(
                keySource: source, key: item.key, digest: Self.digest(of: characters), valueSource: source,
                value: item.value
            )
        )
        if members.count == Self.hashingThreshold + 1 {
            index()
        } else if members.count > Self.hashingThreshold {
            places[characters] = members.count - 1
        }
    }

    private func place(of characters: ArraySlice<UInt8>) -> Int? {
        guard members.count <= Self.hashingThreshold else { return places[characters] }
        let digest = Self.digest(of: characters)
        return members.indices.first { members[$0].digest == digest && key(at: $0) == characters }
    }

    private mutating func index() {
        places = [:]
        guard members.count > Self.hashingThreshold else { return }
        for place in members.indices { places[key(at: place)] = place }
    }

    /// The length and the last seven bytes.
    private static func digest(of characters: ArraySlice<UInt8>) -> UInt64 {
        characters.suffix(7).reduce(UInt64(truncatingIfNeeded: characters.count)) { $0 << 8 | UInt64($1) }
    }
}
