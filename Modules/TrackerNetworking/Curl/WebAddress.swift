import CCurl

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

extension WebAddress {
    /// Takes a URL apart with libcurl's own reader, the one that will connect to it.
    ///
    /// - Returns: `nil` if `text` is no absolute `http` or `https` URL.
    init?(reading text: String) {
        guard let url = CurlURL(text), let scheme = url.part(CURLUPART_SCHEME)?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.part(CURLUPART_HOST), !host.isEmpty,
            let port = url.part(CURLUPART_PORT).flatMap({ Int($0) })
        else { return nil }
        let zone = url.part(CURLUPART_ZONEID).map { "%" + $0 } ?? ""
        self.init(
            text: text, isSecure: scheme == "https", host: host.lowercased() + zone, port: port,
            path: url.part(CURLUPART_PATH) ?? "/",
            hasUserInfo: url.part(CURLUPART_USER) != nil || url.part(CURLUPART_PASSWORD) != nil)
    }
}

/// One URL in libcurl's reading, cleaned up when it goes out of scope.
@safe private struct CurlURL: ~Copyable {
    private let raw: OpaquePointer

    init?(_ text: String) {
        guard let raw = unsafe curl_url() else { return nil }
        guard unsafe curl_url_set(raw, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK else {
            unsafe curl_url_cleanup(raw)
            return nil
        }
        unsafe self.raw = raw
    }

    deinit { unsafe curl_url_cleanup(raw) }

    func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(raw, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text = unsafe text
        else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
