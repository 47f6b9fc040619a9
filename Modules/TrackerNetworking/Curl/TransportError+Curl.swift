import CCurl

extension TransportError {
    /// Says in a sentence what a failure of libcurl means.
    ///
    /// - Parameters:
    ///   - code: What libcurl returned.
    ///   - address: Where the request went.
    ///   - isOverflown: Whether the answer's header was larger than allowed.
    ///   - detail: libcurl's own words. Shown where they can only be about hosts, ports and certificates.
    ///   - proxy: The proxy on the way, if one is known.
    ///   - timeout: The time that the whole exchange had.
    init(
        _ code: CURLcode, at address: WebAddress, isOverflown: Bool, detail: String, proxy: ProxyURL?, timeout: Duration
    ) {
        let host = address.authority
        let kind = isOverflown ? .responseTooLarge : Self.kind(of: code)
        let general = unsafe String(cString: tracker_curl_easy_strerror(code))
        let known = detail.isEmpty ? general : detail
        let message =
            switch kind {
            case .dns:
                code == CURLE_COULDNT_RESOLVE_PROXY
                    ? "The proxy's name, on the way to \(host), has no address. Check the proxy setting."
                    : "The host \(host) has no address. Check its name and this machine's network."
            case .connect:
                "Cannot connect to \(host) (\(Self.connecting(general, known, proxy))). "
                    + "Check that it is up and can be reached from here."
            case .tls where code == CURLE_SSL_CERTPROBLEM:
                "The connection to \(host) could not be secured (\(known)). Check clientCertificate and clientKey."
            case .tls:
                "The connection to \(host) could not be secured (\(known)). "
                    + "Check its certificate, and caBundle if the authority is one of your own."
            case .timeout:
                "\(host) did not answer within \(timeout). Check the network, or allow more time."
            case .sendFailed:
                "The connection to \(host) broke while the request was sent. It is worth another try."
            case .receiveFailed:
                "The connection to \(host) broke before its answer was whole. It is worth another try."
            case .emptyReply:
                "\(host) closed the connection without an answer. It is worth another try; look at the server's log."
            case .badResponse:
                "What \(host) answered is not HTTP. Check the address and what listens there."
            case .responseTooLarge:
                "\(host) answered with a larger header than is accepted. Check that it is the tracking backend."
            case .invalidRequest:
                "libcurl cannot read the URL of a request to \(host)."
            default:
                "The request to \(host) failed in libcurl (error \(code.rawValue))."
            }
        self.init(kind, host: host, message: message)
    }

    /// A proxy's own refusal: the server has not answered.
    ///
    /// - Parameters:
    ///   - status: What the proxy answered.
    ///   - proxy: Its name, as it may be shown; `nil` if none is known to be in use.
    ///   - headers: The header of its answer; `nil` if it refused a tunnel, whose header is not kept.
    init(refusedBy proxy: String?, status: Int, at address: WebAddress, headers: HTTPHeaders?) {
        let advice =
            status == 401 || status == 407
            ? "Check the name and password in the proxy setting."
            : "Ask who runs it whether that host may be reached."
        self.init(
            .proxyRefused, host: address.authority,
            message: "The proxy \(proxy ?? "on the way") refused (\(status)) to pass on a request to "
                + "\(address.authority). \(advice)",
            headers: headers)
    }

    /// Why no connection was made. libcurl's own words quote a proxy that it cannot use, with its password.
    private static func connecting(_ general: String, _ known: String, _ proxy: ProxyURL?) -> String {
        guard let proxy, proxy.hasPassword else { return known }
        return "\(general); the proxy is '\(proxy.masked)'"
    }

    private static func kind(of code: CURLcode) -> Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND: .sendFailed
        case CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: .receiveFailed
        case CURLE_GOT_NOTHING: .emptyReply
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            .badResponse
        case CURLE_FILESIZE_EXCEEDED: .responseTooLarge
        case CURLE_URL_MALFORMAT: .invalidRequest
        default: .unavailable
        }
    }
}
