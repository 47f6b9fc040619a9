import TrackerPlatform

/// Reads what systems keep in small files and links.
enum SmallFile {
    /// The first line of a file, without white space around it; `nil` if there is none or it is blank.
    static func line(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).trimmed
        return line.isEmpty ? nil : line
    }

    /// Where a symbolic link leads; `nil` if there is none.
    static func target(of path: String) -> String? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = unsafe buffer.withMemoryRebound(to: CChar.self) { target in
                guard let start = target.baseAddress else { return 0 }
                return max(0, unsafe readlink(path, start, target.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
