import CCurl

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
