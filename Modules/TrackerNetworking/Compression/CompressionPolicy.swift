/// What is known about which hosts take compressed bodies.
///
/// A host is an origin here: scheme, host and port.
struct CompressionPolicy {
    private enum Knowledge {
        /// It accepted a compressed body.
        case takes
        /// It refused a compressed body, and accepted it plain.
        case refuses
    }

    private var known: [String: Knowledge] = [:]

    /// Whether a body may be sent to that host compressed.
    func allows(_ origin: String) -> Bool { known[origin] != .refuses }

    /// Learns from the answer to a compressed body.
    ///
    /// - Returns: Whether the same body is to be sent once more, plain: after a 415 always, after a 400 as long as the
    ///   host has not been seen to understand gzip.
    mutating func retriesPlain(afterCompressed status: Int, from origin: String) -> Bool {
        switch status {
        case 415: return true
        case 400: return known[origin] == nil
        case 200..<300: known[origin] = .takes
        default: break
        }
        return false
    }

    /// Learns from the answer to a body that was sent plain after it was refused compressed.
    mutating func learn(fromPlain status: Int, from origin: String) {
        switch status {
        case 200..<300: known[origin] = .refuses
        case 401, 403, 408, 429: break
        // The body itself is at fault. A 3xx or 5xx does not count.
        case 400..<500: known[origin] = .takes
        default: break
        }
    }
}
