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
    /// - Parameter isRead: Whether the answer shows that the body was read.
    /// - Returns: Whether the same body is to be sent once more, plain: after a 415 always, after a 400 as long as the
    ///   host has not been seen to understand gzip.
    mutating func retriesPlain(
        afterCompressed status: Int, isRead: Bool = false, from origin: String
    ) -> Bool {
        switch status {
        case 415: return true
        case 400 where !isRead: return known[origin] == nil
        case 200..<300, 400: known[origin] = .takes
        default: break
        }
        return false
    }

    /// Learns from the answer to a body that was sent plain after it was refused compressed. One that is refused as well
    /// may be at fault itself, which says nothing of the host.
    mutating func learn(fromPlain status: Int, from origin: String) {
        if (200..<300).contains(status) { known[origin] = .refuses }
    }
}
