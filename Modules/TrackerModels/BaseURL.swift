/// The address below which a backend's endpoints are: scheme, host, port and base path.
///
/// A `BaseURL` is always valid. Two spellings of one address are equal: scheme and host are in lower case, the default
/// port of the scheme is left out, and one slash at the end is removed. ``description`` is that canonical form. Events
/// wait in a queue of their own for each of them.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    package enum Scheme: String, Hashable, Sendable, CaseIterable {
        case https
        case http

        package var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    package let scheme: Scheme
    /// The host in lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// The port, if it is not the default port of the scheme.
    package let port: UInt16?
    /// Whether the host is this machine by its spelling alone: `localhost`, `127.0.0.0/8` or `[::1]`.
    package let isLoopback: Bool
    /// The base path: empty, or beginning with a slash. It is as it was given, without one slash at the end.
    package let path: String

    /// A request whose head is longer than servers and proxies take could never be sent.
    private static let maxBytes = 16_384

    /// - Parameters:
    ///   - text: An absolute URL without user info, query and fragment. Its host is a name in ASCII (`xn--` for others)
    ///     or an IP address, its path percent-encoded. Surrounding spaces are not taken off.
    ///   - allowInsecureHTTP: Whether plain `http` is accepted for any host. Otherwise it is accepted only for this
    ///     machine: `localhost`, `127.0.0.0/8` or `[::1]`.
    /// - Throws: What is wrong with it, without the URL: it may hold a password.
    package init(_ text: String, allowInsecureHTTP: Bool = false) throws(OptionFault.Reason) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .invalid(.urlCharacters) }
        guard text.utf8.count <= Self.maxBytes else { throw .invalid(.longURL, ["most": JSONValue(Self.maxBytes)]) }
        let url = WebURL(text)
        guard let schemeText = url.scheme else {
            throw .invalid(.relativeURL, ["example": "https://api.example.com"])
        }
        guard let scheme = Scheme(rawValue: schemeText.lowercased()) else { throw .invalid(.urlScheme) }
        guard url.query == nil else { throw .invalid(.urlQuery) }
        guard url.fragment == nil else { throw .invalid(.urlFragment) }
        guard url.userInfo == nil else { throw .invalid(.urlUserInfo) }
        let host = try HostName(url.host)

        self.scheme = scheme
        self.host = host.text
        self.isLoopback = host.isLoopback
        self.port = try Self.port(url.port, for: scheme)
        self.path = try Self.path(url.path)
        guard scheme == .https || host.isLoopback || allowInsecureHTTP else { throw .invalid(.insecureURL) }
    }

    /// Scheme, host and port, such as `https://api.example.com:8443`. A key must not be sent to another origin.
    package var origin: String { "\(scheme.rawValue)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// The canonical form, without a slash at the end.
    package var description: String { origin + path }

    /// The address of an endpoint under this one.
    ///
    /// - Parameter path: A percent-encoded path that begins with a slash, such as `/v2/tracking-session`.
    package func appending(path: String) -> String { description + path }

    /// Refuses an address that ends in the path of an endpoint, which would be appended to it once more.
    package func checkThatItIsAbove(_ paths: [String]) throws(OptionFault.Reason) {
        guard let path = paths.first(where: { path.hasSuffix($0) }) else { return }
        throw .invalid(.urlEndpoint, ["path": .string(path)])
    }

    private static func port(_ text: Substring?, for scheme: Scheme) throws(OptionFault.Reason) -> UInt16? {
        // "An empty port is the scheme's own" (RFC 3986, 3.2.3).
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(text), port > 0 else {
            throw .invalid(.urlPort)
        }
        return port == scheme.defaultPort ? nil : port
    }

    private static func path(_ text: Substring) throws(OptionFault.Reason) -> String {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, bytes[index + 1].hexadecimalValue != nil,
                    bytes[index + 2].hexadecimalValue != nil
                else { throw .invalid(.urlPercent) }
            } else if !isPathByte(byte) {
                throw .invalid(.urlPathCharacter, ["character": .string(String(Character(Unicode.Scalar(byte))))])
            }
        }
        return String(text.hasSuffix("/") ? text.dropLast() : text)
    }

    /// `pchar` of RFC 3986, 3.3, but for `%`, and the slash.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
    }
}
