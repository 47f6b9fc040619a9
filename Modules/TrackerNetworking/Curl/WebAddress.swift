import CCurl
import TrackerModels

/// An `http` or `https` URL as libcurl reads it, which will connect to it.
///
/// Whether a redirect stays on its host is decided on this value: two readers that disagree about where a host ends
/// would let a credential out.
struct WebAddress: Hashable, Sendable {
    /// The whole URL, as it is sent.
    let text: String
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

extension WebAddress {
    /// Takes a URL apart.
    ///
    /// libcurl writes it anew first, with its port and with the host that it will look up. It refuses a host that holds
    /// a mark of URLs, so what it has written has one reading.
    ///
    /// - Returns: `nil` if `text` is no absolute `http` or `https` URL.
    init?(reading text: String) {
        guard let written = Self.writtenByLibcurl(text) else { return nil }
        let url = WebURL(written)
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", !url.host.isEmpty,
            let port = url.port.flatMap({ Int($0) })
        else { return nil }
        self.init(
            text: text, isSecure: scheme == "https", host: url.host.lowercased(), port: port, path: String(url.path),
            hasUserInfo: url.userInfo != nil)
    }

    private static func writtenByLibcurl(_ text: String) -> String? {
        guard CurlLibrary.load() == nil, let url = unsafe tracker_curl_url() else { return nil }
        defer { unsafe tracker_curl_url_cleanup(url) }
        var written: UnsafeMutablePointer<CChar>?
        guard unsafe tracker_curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
            unsafe tracker_curl_url_get(url, CURLUPART_URL, &written, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
            let written = unsafe written
        else { return nil }
        defer { unsafe tracker_curl_free(written) }
        return unsafe String(cString: written)
    }
}
