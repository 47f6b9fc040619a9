/// A URL taken apart at its marks (RFC 3986, 3).
///
/// Any text can be taken apart: nothing is checked, decoded or changed. Who uses a part says what it may hold. Marks are
/// compared byte by byte, also where a combining character follows.
package struct WebURL: Sendable {
    /// Which `@` ends the user info.
    package enum UserInfoEnd: Sendable {
        /// The last one before the path.
        case inAuthority
        /// The last one of all. A proxy's password that is not percent-encoded may hold any character.
        case anywhere
    }

    /// What stands before the first colon, if `://` begins there. The first: a password may hold `://`.
    package let scheme: Substring?
    /// User name and password, without the `@`.
    package let userInfo: Substring?
    /// The host. An IPv6 address keeps its brackets.
    package let host: Substring
    /// What follows the host after a colon; empty if nothing does.
    package let port: Substring?
    /// Host and port as they are written, without user info.
    package let authority: Substring
    /// Empty, or beginning with a slash.
    package let path: Substring
    /// The query, without its question mark.
    package let query: Substring?
    /// The fragment, without its number sign.
    package let fragment: Substring?

    package init(_ text: String, userInfo end: UserInfoEnd = .inAuthority) {
        var rest = text[...]
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), rest.utf8[colon...].starts(with: "://".utf8) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(colon, offsetBy: 3)...]
        } else {
            scheme = nil
        }
        let mayHoldMark = end == .anywhere ? rest : rest.prefix(before: "/?#")
        userInfo = mayHoldMark.utf8.lastIndex(of: UInt8(ascii: "@")).map { rest[..<$0] }
        if let userInfo { rest = rest[rest.utf8.index(after: userInfo.endIndex)...] }

        authority = rest.prefix(before: "/?#")
        let address = authority.utf8.first == UInt8(ascii: "[") ? authority.prefix(before: "]") : authority.prefix(0)
        let name = authority[address.endIndex...].prefix(before: ":")
        host = authority[..<name.endIndex]
        port = name.endIndex == authority.endIndex ? nil : authority[name.endIndex...].dropFirstByte()

        rest = rest[authority.endIndex...]
        path = rest.prefix(before: "?#")
        rest = rest[path.endIndex...]
        let marked = rest.prefix(before: "#")
        query = marked.isEmpty ? nil : marked.dropFirstByte()
        rest = rest[marked.endIndex...]
        fragment = rest.isEmpty ? nil : rest.dropFirstByte()
    }
}

extension Substring {
    /// All before the first of the ASCII characters `marks`.
    fileprivate func prefix(before marks: String) -> Substring {
        self[..<(utf8.firstIndex { marks.utf8.contains($0) } ?? endIndex)]
    }

    fileprivate func dropFirstByte() -> Substring { self[utf8.index(after: startIndex)...] }
}
