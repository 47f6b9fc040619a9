import TrackerPlatform

/// Identifies a start of the machine: it is another one after each boot.
///
/// What a process has written without a sync survives the process, and may be lost when the machine loses power. The id
/// tells the two cases apart.
package struct BootID: Hashable, Sendable {
    /// The system's own text.
    package let text: String

    /// Makes an id from a text, as tests do.
    package init(_ text: String) {
        self.text = text
    }

    /// The id of the machine's current run, or ``unknown``.
    package static func current() -> BootID { systemText().map(BootID.init) ?? .unknown }

    /// The id where the system has none, or does not tell it now. It says nothing: every other could be the same.
    package static let unknown = BootID("")

    #if canImport(Darwin)
        private static func systemText() -> String? {
            var buffer = [CChar](repeating: 0, count: 64)
            var size = buffer.count
            guard unsafe sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0, size > 1 else { return nil }
            return String(decoding: buffer.prefix(size - 1).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    #else
        private static func systemText() -> String? {
            // A container without /proc has none.
            let bytes = try? FileDescriptor(opening: "/proc/sys/kernel/random/boot_id", O_RDONLY).readToEnd(limit: 256)
            guard let bytes, bytes.count > 1 else { return nil }
            return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        }
    #endif
}

extension BootID {
    /// Whether numbers that were given under another id, as a row has it, are from before the machine started again.
    func isLater(than other: String?) -> Bool {
        guard let other else { return false }
        return self != .unknown && other != Self.unknown.text && other != text
    }

    /// Whether a row must have this id before a number is given.
    func replaces(_ other: String?) -> Bool { other == nil || self != .unknown && other != text }
}
