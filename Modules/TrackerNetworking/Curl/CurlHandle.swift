import CCurl

/// One libcurl easy handle, cleaned up when it goes out of scope.
@safe struct CurlHandle: ~Copyable {
    /// For calls that take the handle; do not keep it.
    let raw: UnsafeMutableRawPointer
    /// Where libcurl writes what failed. It may still do so while the handle is cleaned up; do not keep it.
    let problem: UnsafeMutablePointer<CChar>
    /// Whether an option was refused since the last ``takeRefusal()``.
    private var isRefused = false

    /// Sets up a handle, and libcurl if this is the first.
    ///
    /// - Returns: `nil` if libcurl cannot be loaded, or if memory is short.
    init?() {
        guard CurlLibrary.load() == nil, let raw = unsafe tracker_curl_easy_init() else { return nil }
        unsafe self.raw = raw
        unsafe problem = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe problem.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // Not by `set`: Swift 6.2 lets no initialiser call a mutating method of a value that cannot be copied.
        isRefused = unsafe tracker_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, problem) != CURLE_OK
    }

    deinit {
        unsafe tracker_curl_easy_cleanup(raw)
        unsafe problem.deallocate()
    }

    /// What libcurl says about the last failure; it may name hosts, ports and certificates. Empty without one.
    var problemText: String { unsafe String(cString: problem) }

    /// Clears the message of the last failure, before another attempt.
    func forgetProblem() { unsafe problem.pointee = 0 }

    mutating func set(_ option: CURLoption, _ value: Int) {
        check(unsafe tracker_curl_set_long(raw, option, value))
    }

    mutating func set(_ option: CURLoption, offset value: Int) {
        check(unsafe tracker_curl_set_offset(raw, option, curl_off_t(value)))
    }

    /// Sets a text, which libcurl copies.
    mutating func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return check(unsafe tracker_curl_set_string(raw, option, nil)) }
        check(unsafe value.withCString { unsafe tracker_curl_set_string(raw, option, $0) })
    }

    /// Sets a pointer, which must stay valid as long as the handle uses it.
    @unsafe mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        check(unsafe tracker_curl_set_pointer(raw, option, pointer))
    }

    /// Sets where bytes of the answer go.
    mutating func set(
        _ option: CURLoption,
        sink: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int
    ) {
        check(unsafe tracker_curl_set_sink(raw, option, sink))
    }

    /// Sets who opens and closes the sockets of its connections, and what both are given.
    ///
    /// A connection outlives the handle that made it: the context must live as long as the multi handle.
    @unsafe mutating func set(
        opener: @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>) -> Int32,
        opening: UnsafeMutableRawPointer,
        closer: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32, closing: UnsafeMutableRawPointer
    ) {
        check(unsafe tracker_curl_set_opener(raw, opener))
        unsafe set(CURLOPT_OPENSOCKETDATA, pointer: opening)
        check(unsafe tracker_curl_set_closer(raw, closer))
        unsafe set(CURLOPT_CLOSESOCKETDATA, pointer: closing)
    }

    /// Sets the body, which libcurl copies; `nil` for a request that may not have one.
    mutating func set(body: [UInt8]?) {
        guard let body else { return set(CURLOPT_HTTPGET, 1) }
        set(CURLOPT_POSTFIELDSIZE_LARGE, offset: body.count)
        check(
            unsafe body.withUnsafeBytes { bytes in
                // Without a byte there may be no address; libcurl would then ask a callback for the body.
                unsafe bytes.baseAddress.map {
                    unsafe tracker_curl_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0))
                } ?? tracker_curl_set_string(raw, CURLOPT_COPYPOSTFIELDS, "")
            })
    }

    /// Sets the header fields, which must outlive the request.
    mutating func set(headers: borrowing CurlList) {
        check(unsafe tracker_curl_set_list(raw, CURLOPT_HTTPHEADER, headers.first))
    }

    /// Frees libcurl's copy of the last body.
    mutating func forgetBody() {
        check(unsafe tracker_curl_set_pointer(raw, CURLOPT_POSTFIELDS, nil))
    }

    /// Has each new connection read the file of authorities. libcurl would keep what it has read for a day.
    mutating func forgetAuthorities() {
        // CURLOPT_CA_CACHE_TIMEOUT: before 7.87 libcurl neither knows the option nor keeps anything.
        _ = unsafe tracker_curl_set_long(raw, CURLoption(rawValue: 321), 0)
    }

    mutating func setQuickExit() { check(unsafe tracker_curl_set_quick_exit(raw)) }

    /// Ends the transfer once its certificates are read.
    mutating func setEndBeforeTLS() { check(unsafe tracker_curl_set_end_before_tls(raw)) }

    mutating func setWebOnly() { check(unsafe tracker_curl_set_web_only(raw)) }

    /// Whether an option was refused since the last call: memory was short, or this libcurl does not have it.
    mutating func takeRefusal() -> Bool {
        defer { isRefused = false }
        return isRefused
    }

    /// The status of the last answer, 0 if there was none.
    var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// The status of a proxy's last answer to CONNECT, 0 if there was none.
    var proxyStatus: Int { number(CURLINFO_HTTP_CONNECTCODE) }

    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        guard unsafe tracker_curl_get_long(raw, info, &number) == CURLE_OK else { return 0 }
        return number
    }

    /// Where the last answer's `Location` leads, made absolute; `nil` without one.
    var location: String? {
        var text: UnsafeMutableRawPointer?
        guard unsafe tracker_curl_get_pointer(raw, CURLINFO_REDIRECT_URL, &text) == CURLE_OK, let text = unsafe text
        else { return nil }
        return unsafe String(cString: text.assumingMemoryBound(to: CChar.self))
    }

    private mutating func check(_ code: CURLcode) {
        if code != CURLE_OK { isRefused = true }
    }
}
