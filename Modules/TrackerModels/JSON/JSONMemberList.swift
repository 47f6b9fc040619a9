/// The top-level members of several objects in one list, each key once, in spans of the objects' texts.
///
/// A key has the place where it first stood and the value that it last had.
struct JSONMemberList {
    /// One member, as it stands in the texts it came from.
    struct Member {
        /// The key with quotes and escapes.
        let key: ArraySlice<UInt8>
        /// The key's characters as UTF-8.
        let characters: ArraySlice<UInt8>
        /// The value.
        var value: ArraySlice<UInt8>
    }

    /// From how many members on keys are found by hash: fewer are compared faster than hashed.
    private static let hashingThreshold = 24

    private(set) var members: [Member] = []
    /// The places of the keys, once there are many.
    private var places: [ArraySlice<UInt8>: Int] = [:]

    /// Reads the members of objects, in order.
    ///
    /// A text that is no object has none.
    init(_ objects: [JSONText]) {
        var scanner = JSONScanner(maxDepth: .max, outlineDepth: 1)
        for object in objects where object.kind == .object {
            // The bytes were accepted before, so there is nothing to throw.
            _ = try? scanner.scan(object.bytes)
            for item in scanner.outline.items.dropFirst() {
                set(
                    Member(
                        key: object.bytes[item.key.range],
                        characters: item.key.characters(in: object.bytes),
                        value: object.bytes[item.value]
                    )
                )
            }
        }
    }

    /// The list as an object.
    var text: JSONText {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(members.reduce(2) { $0 + $1.key.count + $1.value.count + 2 })
        bytes.append(UInt8(ascii: "{"))
        for member in members {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += member.key
            bytes.append(UInt8(ascii: ":"))
            bytes += member.value
        }
        bytes.append(UInt8(ascii: "}"))
        return JSONText(accepted: bytes)
    }

    /// Takes out the members with these keys.
    mutating func remove(_ keys: [String]) {
        members.removeAll { member in keys.contains { member.characters.elementsEqual($0.utf8) } }
        places = [:]
        if members.count > Self.hashingThreshold { index() }
    }

    private mutating func set(_ member: Member) {
        if let place = place(of: member.characters) {
            members[place].value = member.value
            return
        }
        members.append(member)
        if members.count == Self.hashingThreshold + 1 {
            index()
        } else if members.count > Self.hashingThreshold {
            places[member.characters] = members.count - 1
        }
    }

    private func place(of characters: ArraySlice<UInt8>) -> Int? {
        guard members.count <= Self.hashingThreshold else { return places[characters] }
        return members.firstIndex { $0.characters == characters }
    }

    private mutating func index() {
        for (place, member) in members.enumerated() { places[member.characters] = place }
    }
}
