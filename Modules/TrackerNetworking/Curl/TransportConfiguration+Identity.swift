import CCurl
import TrackerModels
import TrackerPlatform

extension TransportConfiguration {
    /// Why the client's certificate and key cannot be used together, and which option is at fault; `nil` if they can, or
    /// if this libcurl does not say.
    ///
    /// libcurl reads both files when it begins to secure a connection. This connection leads to a port of this process,
    /// and ends right after that, before a byte is sent.
    package var identityFault: OptionFault? {
        guard let certificate = clientCertificate, let key = clientKey, let listener = Listener(),
            var handle = CurlHandle()
        else { return nil }
        handle.set(CURLOPT_URL, "https://127.0.0.1:\(listener.port)/")
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_TIMEOUT_MS, 5_000)
        handle.set(identity: certificate, key: key)
        handle.setEndBeforeTLS()
        guard !handle.takeRefusal(), unsafe tracker_curl_easy_perform(handle.raw) == CURLE_SSL_CERTPROBLEM else {
            return nil
        }
        let detail = handle.problemText
        guard detail.place(of: "rivate key") != nil else {
            return OptionFault(
                "clientCertificate",
                .invalid(.unusableCertificate, ["path": .string(certificate), "detail": .string(detail)]))
        }
        let facts: JSONObject = [
            "path": .string(key), "certificate": .string(certificate), "detail": .string(detail),
        ]
        return OptionFault("clientKey", .invalid(.unusableKey, facts))
    }
}

extension CurlHandle {
    /// Sets the files with the client's own certificate and its key.
    mutating func set(identity certificate: String, key: String) {
        set(CURLOPT_SSLCERT, certificate)
        set(CURLOPT_SSLKEY, key)
        // Without one, OpenSSL would ask for it at the terminal.
        set(CURLOPT_KEYPASSWD, "")
    }
}

/// A port of this machine alone that connections can be made to, and that answers none.
private struct Listener: ~Copyable {
    let port: UInt16
    private let descriptor: Int32

    init?() {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(descriptor, generic, size) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
