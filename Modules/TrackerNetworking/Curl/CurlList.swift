import CCurl

/// A list of header lines in the form that libcurl takes, freed when it goes out of scope.
@safe struct CurlList: ~Copyable {
    /// The list's head; `nil` as long as it is empty.
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init() { unsafe first = nil }

    deinit { unsafe tracker_curl_slist_free_all(first) }

    /// Adds a line, which libcurl copies.
    ///
    /// - Returns: `false` if memory is short; the list is as before.
    mutating func append(_ line: String) -> Bool {
        guard let list = unsafe tracker_curl_slist_append(first, line) else { return false }
        unsafe first = list
        return true
    }
}
