/// The host of a URL, checked and in lower case: a name, an IPv4 address or an IPv6 address in brackets.
struct HostName: Hashable, Sendable {
    let text: String
    /// Whether it is this machine by its spelling alone: `localhost`, `127.0.0.0/8` or `[::1]`.
    let isLoopback: Bool

    init(_ host: Substring) throws(OptionFault.Reason) {
        guard !host.isEmpty else { throw .invalid(.noURLHost) }
        text = host.lowercased()
        if host.hasPrefix("[") {
            guard let bracket = host.firstIndex(of: "]") else { throw .invalid(.urlBracket) }
            guard host[bracket...] == "]" else { throw .invalid(.urlAfterHost) }
            guard let groups = Self.ipv6(host.dropFirst().dropLast()) else { throw .invalid(.urlIPv6) }
            isLoopback = groups == [0, 0, 0, 0, 0, 0, 0, 1]
        } else if Self.looksNumeric(host) {
            // Resolvers read 127.1 or 0x7f000001 as addresses too; what is meant must be plain to see.
            guard let bytes = Self.ipv4(host) else { throw .invalid(.urlIPv4) }
            isLoopback = bytes[0] == 127
        } else {
            guard Self.isName(host) else { throw .invalid(.urlHostName) }
            isLoopback = text == "localhost"
        }
    }

    /// Whether a resolver could take the host for an IPv4 address: its last label is a decimal or hexadecimal number.
    private static func looksNumeric(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".")
        guard let last = labels.last else { return false }
        return last.utf8.allSatisfy(\.isASCIIDigit)
            || (last.lowercased().hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit))
    }

    private static func isName(_ host: Substring) -> Bool {
        // One dot at the end marks a name as absolute.
        let name = host.hasSuffix(".") ? host.dropLast() : host
        guard !name.isEmpty, name.utf8.count <= 253 else { return false }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }

    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            // A leading zero means octal to some readers.
            guard part.utf8.allSatisfy(\.isASCIIDigit), part == "0" || !part.hasPrefix("0") else { return nil }
            return UInt8(part)
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// The eight groups of an IPv6 address without brackets, or `nil` (RFC 4291, 2.2).
    private static func ipv6(_ text: Substring) -> [UInt16]? {
        guard let gap = text.place(of: "::") else {
            let groups = Self.groups(text)
            return groups?.count == 8 ? groups : nil
        }
        guard let head = text[..<gap.lowerBound].isEmpty ? [] : groups(text[..<gap.lowerBound], allowsIPv4: false),
            let tail = text[gap.upperBound...].isEmpty ? [] : groups(text[gap.upperBound...]),
            head.count + tail.count <= 7
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring, allowsIPv4: Bool = true) -> [UInt16]? {
        var result: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if allowsIPv4, index == parts.count - 1, part.contains(".") {
                guard let bytes = ipv4(part) else { return nil }
                result.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
                result.append(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                result.append(group)
            }
        }
        return result
    }
}
