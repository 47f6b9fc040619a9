/// An `http` or `https` URL, taken apart by the reader that will connect to it.
///
/// Whether a redirect stays on its host is decided on this value: two readers that disagree about where a host ends
/// would let a credential out.
struct WebAddress: Hashable, Sendable {
    /// The whole URL, as it is sent.
    let text: String
    /// Whether it is `https`.
    let isSecure: Bool
    /// The host in lower case; an IPv6 address keeps its brackets.
    let host: String
    /// The port, written or not.
    let port: Int
    /// The path, without query and fragment.
    let path: String
    /// Whether a name or a password stands before the host.
    let hasUserInfo: Bool

    /// The host, with its port if that is not the scheme's own.
    let authority: String
    /// Scheme, host and port.
    let origin: String

    init(text: String, isSecure: Bool, host: String, port: Int, path: String, hasUserInfo: Bool) {
        self.text = text
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
        self.hasUserInfo = hasUserInfo
        authority = port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
        origin = (isSecure ? "https://" : "http://") + authority
    }

    /// The URL as it may be shown: without user info, query and fragment.
    var display: String { origin + path }

    /// Whether a request to this address may be sent on to `target` with its headers: to the same origin, or from
    /// http to https on the same host.
    func mayRedirect(to target: WebAddress) -> Bool {
        guard !target.hasUserInfo, host == target.host else { return false }
        return isSecure == target.isSecure ? port == target.port : target.isSecure
    }
}
