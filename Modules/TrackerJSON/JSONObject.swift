/// The members of a JSON object, each key once, in the order in which they were added.
///
/// ```swift
/// var attributes: JSONObject = ["sku": "A-1", "price": 19.9, "tags": ["new", nil]]
/// attributes["price"] = 18.9
/// ```
///
/// Keys are compared by their code points: `é` written as one scalar and as two are two keys. Two objects are equal if
/// they have equal members in the same order.
public struct JSONObject: Sendable {
    private struct Entry: Hashable, Sendable {
        let key: ExactString
        var value: JSONValue
    }

    /// From how many members on keys are found by hash: fewer are compared faster than hashed.
    private static let hashingThreshold = 24

    private var entries: [Entry] = []
    /// The places of the keys, once there are many.
    private var places: [ExactString: Int] = [:]

    /// Makes an empty object.
    public init() {}

    /// Makes an object of members.
    ///
    /// A key that comes twice keeps its first place and takes its last value.
    ///
    /// - Parameter members: Keys and values, in order.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members { set(value, forKey: ExactString(key)) }
    }

    /// The value under a key.
    ///
    /// A new key comes last; an old one keeps its place. Assigning `nil` removes the member, while assigning
    /// ``JSONValue/null`` keeps it, with the value `null`.
    ///
    /// - Parameter key: The key, compared by its code points.
    public subscript(key: String) -> JSONValue? {
        get { place(of: ExactString(key)).map { entries[$0].value } }
        set {
            if let newValue {
                set(newValue, forKey: ExactString(key))
            } else if let place = place(of: ExactString(key)) {
                entries.remove(at: place)
                index()
            }
        }
    }

    /// The keys, in order.
    public var keys: [String] { entries.map(\.key.string) }

    /// The values, in order.
    public var values: [JSONValue] { entries.map(\.value) }

    /// Adds the members of another object, whose values win.
    ///
    /// A key that both have keeps its place.
    public mutating func merge(_ other: JSONObject) {
        for entry in other.entries { set(entry.value, forKey: entry.key) }
    }

    private mutating func set(_ value: JSONValue, forKey key: ExactString) {
        if let place = place(of: key) {
            entries[place].value = value
            return
        }
        entries.append(Entry(key: key, value: value))
        if entries.count == Self.hashingThreshold + 1 {
            index()
        } else if entries.count > Self.hashingThreshold {
            places[key] = entries.count - 1
        }
    }

    private func place(of key: ExactString) -> Int? {
        guard entries.count <= Self.hashingThreshold else { return places[key] }
        return entries.firstIndex { $0.key == key }
    }

    private mutating func index() {
        places = [:]
        guard entries.count > Self.hashingThreshold else { return }
        for (place, entry) in entries.enumerated() { places[entry.key] = place }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The place of the first member.
    public var startIndex: Int { entries.startIndex }
    /// The place after the last member.
    public var endIndex: Int { entries.endIndex }

    /// The member at a place, from 0.
    public subscript(position: Int) -> (key: String, value: JSONValue) {
        (entries[position].key.string, entries[position].value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object.
    ///
    /// A key that comes twice keeps its first place and takes its last value.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members)
    }
}

extension JSONObject: Hashable {
    /// Whether both have equal members in the same order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.entries == other.entries
    }

    /// Hashes the members in their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as JSON text, or a note that it is nested too deeply for that.
    public var description: String { JSONValue.object(self).description }
}
