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

    package struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence for a developer, without the URL: it may hold a password.
        package let reason: String

        package var description: String { reason }

        /// Plain http to another machine, which an option may allow.
        package static let insecure = Invalid(
            reason: "Plain http leads to a loopback host only; use https, or set allowInsecureHTTP.")
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
    /// - Throws: ``Invalid`` with the reason.
    package init(_ text: String, allowInsecureHTTP: Bool = false) throws(Invalid) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Invalid(
                reason: "The URL holds a space, a control character or a character outside ASCII; percent-encode its "
                    + "path, and write its host in its xn-- form.")
        }
        guard text.utf8.count <= Self.maxBytes else {
            throw Invalid(reason: "The URL is longer than \(Self.maxBytes) bytes; no server takes such a request.")
        }
        let url = WebURL(text)
        guard let schemeText = url.scheme else {
            throw Invalid(reason: "The URL is not absolute; write it out, such as https://api.example.com.")
        }
        guard let scheme = Scheme(rawValue: schemeText.lowercased()) else {
            throw Invalid(reason: "The URL's scheme is neither https nor http.")
        }
        guard url.query == nil else { throw Invalid(reason: "The URL has a query; leave it out.") }
        guard url.fragment == nil else { throw Invalid(reason: "The URL has a fragment; leave it out.") }
        guard url.userInfo == nil else {
            throw Invalid(reason: "The URL has user info before its host; leave it out.")
        }
        let host = try HostName(url.host)

        self.scheme = scheme
        self.host = host.text
        self.isLoopback = host.isLoopback
        self.port = try Self.port(url.port, for: scheme)
        self.path = try Self.path(url.path)
        guard scheme == .https || host.isLoopback || allowInsecureHTTP else {
            throw Invalid.insecure
        }
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
    package func checkThatItIsAbove(_ paths: [String]) throws(Invalid) {
        guard let path = paths.first(where: { path.hasSuffix($0) }) else { return }
        throw Invalid(reason: "The URL ends in \(path), which the client appends by itself; leave it out.")
    }

    private static func port(_ text: Substring?, for scheme: Scheme) throws(Invalid) -> UInt16? {
        // "An empty port is the scheme's own" (RFC 3986, 3.2.3).
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(text), port > 0 else {
            throw Invalid(reason: "The URL's port is not a number from 1 to 65535.")
        }
        return port == scheme.defaultPort ? nil : port
    }

    private static func path(_ text: Substring) throws(Invalid) -> String {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, bytes[index + 1].hexadecimalValue != nil,
                    bytes[index + 2].hexadecimalValue != nil
                else {
                    throw Invalid(reason: "The URL's path has a % that does not begin a percent-encoded byte.")
                }
            } else if !isPathByte(byte) {
                throw Invalid(
                    reason: "The URL's path holds “\(Character(Unicode.Scalar(byte)))”, which must be percent-encoded.")
            }
        }
        return String(text.hasSuffix("/") ? text.dropLast() : text)
    }

    /// `pchar` of RFC 3986, 3.3, but for `%`, and the slash.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
    }
}
