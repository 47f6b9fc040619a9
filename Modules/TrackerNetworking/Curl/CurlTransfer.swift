import CCurl
import TrackerModels

/// One easy handle with everything that it points to: the options that never change, and the answer as it comes in.
///
/// It carries one request at a time and is used again for the next, which finds the connection open. A transfer
/// belongs to its loop's thread.
@safe final class CurlTransfer {
    /// How long it may take to set up a connection. That time is part of the request's own.
    private static let connectTimeout = Duration.seconds(10)

    /// The exchange whose request it carries, if any.
    var id: TransferID?

    private var handle: CurlHandle
    private var requestHeaders = CurlList()
    /// What the handle was last set to.
    private var url: String?
    private var method: HTTPRequest.Method?
    private let sockets: OpenSockets
    private let limit: Int
    /// The lines of the answer's header.
    private var headerLines: [UInt8] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    /// Whether the answer's header or body was larger than allowed, which ended the transfer.
    private(set) var isOverflown = false
    /// Whether the answer's header is complete: to libcurl a status line is enough.
    private(set) var isHeaderWhole = false

    /// Sets up a handle with the options that hold for every request.
    ///
    /// - Parameter sockets: Keeps the sockets of its connections; the multi handle's own.
    /// - Returns: `nil` if memory is short, or if libcurl refuses an option that must not be missing.
    init?(_ configuration: TransportConfiguration, sockets: OpenSockets) {
        guard let handle = CurlHandle() else { return nil }
        self.handle = handle
        self.sockets = sockets
        limit = configuration.maxResponseBytes
        setFixedOptions(configuration)
        guard !self.handle.takeRefusal() else { return nil }
        setOptionalOptions(configuration.caBundle)
    }

    /// The transfer that an easy handle belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard unsafe tracker_curl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return unsafe context.map { unsafe Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Readies the transfer for one request.
    ///
    /// - Parameters:
    ///   - timeout: The time that is left for it, above zero.
    ///   - isFresh: Whether it must have a new connection.
    /// - Returns: `false` if libcurl has no memory for it.
    func prepare(_ exchange: Exchange, timeout: Duration, isFresh: Bool) -> Bool {
        reset()
        let request = exchange.request
        let body = exchange.body
        // Most requests go where the one before went, in the same way.
        if url != exchange.address.text {
            url = exchange.address.text
            handle.set(CURLOPT_URL, url)
            // Requests made at once wait to share one HTTP/2 connection. Without TLS they would wait for a first
            // answer.
            handle.set(CURLOPT_PIPEWAIT, exchange.address.isSecure ? 1 : 0)
        }
        handle.set(body: body ?? (request.method == .get ? nil : []))
        if method != request.method {
            method = request.method
            handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        handle.set(CURLOPT_TIMEOUT_MS, timeout.ceilingMilliseconds)
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)

        var list = CurlList()
        // No "100 Continue" is awaited, and no media type made up.
        var isWhole = list.append("Expect:")
        if request.headers["Content-Type"] == nil { isWhole = list.append("Content-Type:") && isWhole }
        if exchange.compressedBody != nil { isWhole = list.append("Content-Encoding: gzip") && isWhole }
        for field in request.headers.fields {
            // libcurl takes "Name:", with or without blanks, for a header to leave out and "Name;" for one without a value.
            let isBlank = field.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            isWhole = list.append(isBlank ? field.name + ";" : "\(field.name): \(field.value)") && isWhole
        }
        handle.set(headers: list)
        requestHeaders = list
        guard isWhole, !handle.takeRefusal() else {
            // It is unknown which options were set.
            url = nil
            method = nil
            return false
        }
        return true
    }

    func start(on multi: CurlMulti) -> Bool { multi.add(handle) == CURLM_OK }

    /// Removes the transfer from the multi handle, finished or not.
    func stop(on multi: CurlMulti) { multi.remove(handle) }

    /// The answer that has come in; `nil` if it broke off in its header, or there was none.
    ///
    /// - Parameter isWhole: Whether its body came in to its end.
    func answer(isWhole: Bool) -> HTTPResponse? {
        // An answer that breaks off in its header does not count, nor does an interim one.
        guard isHeaderWhole, handle.status >= 200 else { return nil }
        return HTTPResponse(
            status: handle.status, headers: HTTPHeaders(lines: headerLines), body: isWhole ? body : [],
            isBodyWhole: isWhole)
    }

    /// Where the answer's `Location` leads, made absolute; `nil` without one.
    var location: String? { handle.location }

    /// The status with which a proxy refused to connect to the host, if one did.
    var proxyRefusal: Int? { handle.proxyStatus >= 300 ? handle.proxyStatus : nil }

    /// Releases the last request and its answer.
    func rest() {
        reset()
        handle.forgetBody()
        _ = handle.takeRefusal()
    }

    /// What libcurl says about the last failure; it may name hosts, ports and certificates.
    var detail: String { handle.problemText }

    private func setFixedOptions(_ configuration: TransportConfiguration) {
        unsafe handle.set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.setQuickExit()
        handle.setWebOnly()
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_PATH_AS_IS, 1)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeout.ceilingMilliseconds)

        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let bundle = configuration.caBundle {
            handle.set(CURLOPT_CAINFO, bundle)
            handle.forgetAuthorities()
            // The system's folder of authorities would be trusted as well.
            handle.set(CURLOPT_CAPATH, nil)
        }
        if let certificate = configuration.clientCertificate, let key = configuration.clientKey {
            handle.set(identity: certificate, key: key)
        }
        if let proxy = configuration.proxy {
            handle.set(CURLOPT_PROXY, proxy)
            // The environment's NO_PROXY is about the environment's proxy.
            handle.set(CURLOPT_NOPROXY, "")
        }

        unsafe handle.set(
            opener: { unsafe CurlTransfer.open($0, $2) }, opening: Unmanaged.passUnretained(self).toOpaque(),
            closer: { unsafe OpenSockets.close($0, $1) }, closing: Unmanaged.passUnretained(sockets).toOpaque())

        unsafe handle.set(CURLOPT_WRITEDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
        unsafe handle.set(
            CURLOPT_WRITEFUNCTION,
            sink: { unsafe CurlTransfer.receive($0, $1 * $2, $3) { unsafe $0.takeBody($1) } })
        unsafe handle.set(CURLOPT_HEADERDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
        unsafe handle.set(
            CURLOPT_HEADERFUNCTION,
            sink: { unsafe CurlTransfer.receive($0, $1 * $2, $3) { unsafe $0.takeHeader($1) } })
    }

    /// Options that save time; a libcurl may lack them.
    private func setOptionalOptions(_ bundle: String?) {
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        // Ask for uncompressed answers, and decode compressed ones all the same.
        handle.set(CURLOPT_ACCEPT_ENCODING, "identity")
        if let bundle { handle.set(CURLOPT_PROXY_CAINFO, bundle) }
        _ = handle.takeRefusal()
    }

    private func reset() {
        headerLines.removeAll(keepingCapacity: true)
        headerBytes = 0
        isOverflown = false
        isHeaderWhole = false
        handle.forgetProblem()
        // Large bodies are rare; a transfer at rest does not hold one.
        let kept = 64 * 1024
        body.removeAll(keepingCapacity: body.capacity <= kept)
    }

    /// Opens a socket for a connection.
    private static func open(
        _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<curl_sockaddr>
    ) -> Int32 {
        guard let context = unsafe context else { return -1 }
        let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        // libcurl repeats a request by itself when a connection turns out dead, and keeps the first failure's text.
        transfer.handle.forgetProblem()
        return unsafe transfer.sockets.open(address.pointee)
    }

    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        // Anything but the whole count ends the transfer.
        return unsafe take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : max(count - 1, 0)
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limit else {
            isOverflown = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// A status line begins a new answer: the last one was an interim one.
    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= min(limit, Self.headerLimit) else {
            isOverflown = true
            return false
        }
        if unsafe bytes.starts(with: "HTTP/".utf8) {
            headerLines.removeAll(keepingCapacity: true)
            isHeaderWhole = false
        } else if unsafe bytes.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
            isHeaderWhole = true
        } else {
            unsafe headerLines.append(contentsOf: bytes)
        }
        return true
    }

    /// Below the 300 KB at which libcurl gives up with an error of no clear meaning.
    private static let headerLimit = 256 * 1024
}

extension Duration {
    /// Whole milliseconds, rounded up, from 1 to what a C int holds.
    var ceilingMilliseconds: Int {
        let nanoseconds = count(perSecond: 1_000_000_000)
        guard nanoseconds > 1_000_000 else { return 1 }
        return Int(min((nanoseconds - 1) / 1_000_000 + 1, Int64(Int32.max)))
    }
}
