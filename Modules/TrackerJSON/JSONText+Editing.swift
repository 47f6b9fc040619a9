extension JSONText {
    /// One object with the members of all.
    ///
    /// Only top-level keys are merged: a key keeps the place where it first stood and takes the value that it last
    /// had, also if one object repeats it. Keys and values are spliced as they are written.
    ///
    /// - Parameter objects: Objects, the last of which wins. A text of another kind counts as an empty object.
    public static func merging(_ objects: [JSONText]) -> JSONText {
        JSONMemberList(joining(objects)).text
    }

    /// This object without the members that have one of these keys.
    ///
    /// - Parameter keys: Keys, compared by their bytes after unescaping.
    public func removing(_ keys: [String]) -> JSONText {
        var list = JSONMemberList(self)
        list.remove(keys)
        return list.text
    }

    /// An object with the members of `prefixMembers`, then those of `object`, spliced without looking at their keys.
    ///
    /// A key that both have stands twice in the result.
    public static func inserting(prefixMembers: JSONText, into object: JSONText) -> JSONText {
        joining([prefixMembers, object])
    }

    /// One object with the members of all, spliced without looking at their keys.
    private static func joining(_ objects: [JSONText]) -> JSONText {
        guard objects.count != 1 else { return objects[0] }
        var writer = JSONObjectWriter(reservingCapacity: objects.reduce(2) { $0 + $1.byteCount })
        for object in objects { writer.append(membersOf: object) }
        return writer.finish()
    }
}
