/// Header fields that a program wants on every request, besides those of the client.
///
/// Their values may be secrets: no description and no dump shows one.
package struct ExtraHeaders: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) { self.values = values }

    /// The names, and the values masked.
    package var masked: JSONObject { JSONObject(sorted.map { ($0.name, .string(Secret($0.value).masked)) }) }

    /// The fields in a fixed order.
    package var sorted: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// The values; of one such as `Bearer …` its last word too.
    package var secrets: [Secret] {
        values.values.flatMap { value in [value, value.split(separator: " ").last.map(String.init)] }
            .compactMap { $0.map(Secret.init) }
    }

    package var description: String { "\(values.count) headers" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension ExtraHeaders {
    /// Why they cannot be used, without a value; `nil` if they can.
    package var fault: OptionFault.Reason? { fault(besides: []) }

    /// Why they cannot be used beside what the client sets itself, as ``fault`` says it.
    ///
    /// - Parameter own: The names of the fields that this client sets besides those of every client.
    package func fault(besides own: [String]) -> OptionFault.Reason? {
        guard values.count <= Self.maxCount else {
            return .invalid(.manyHeaders, ["count": JSONValue(values.count), "most": JSONValue(Self.maxCount)])
        }
        var names: Set<String> = []
        for (name, value) in sorted {
            let shown = String(name.prefix(80))
            guard HeaderField.isName(name) else {
                // A name of any characters is shown in quotes.
                return .invalid(.headerName, ["name": .string(shown), "shown": .string(shown.debugDescription)])
            }
            guard HeaderField.isValue(value) else { return .invalid(.headerValue, ["name": .string(shown)]) }
            guard !(HeaderField.framing + Self.clientNames + own).contains(where: { HeaderField.isSame($0, name) })
            else {
                return .invalid(.ownHeader, ["name": .string(name)])
            }
            guard names.insert(name.lowercased()).inserted else {
                return .invalid(.repeatedHeader, ["name": .string(shown)])
            }
        }
        let bytes = values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes > Self.maxBytes else { return nil }
        return .invalid(.largeHeaders, ["size": JSONValue(bytes), "most": JSONValue(Self.maxBytes)])
    }

    private static let maxCount = 16
    private static let maxBytes = 8 << 10

    /// What the requests of the clients have anyway.
    private static let clientNames = [
        "Accept-Encoding", "Content-Encoding", "Content-Type", "Idempotency-Key", "Proxy-Authorization", "User-Agent",
        "X-API-Key", "X-Occurred-At", "X-Sequence",
    ]
}
