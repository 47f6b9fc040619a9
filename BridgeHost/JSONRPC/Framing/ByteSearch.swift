#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

extension [UInt8] {
    /// The first place of `byte` in a range, found as fast as the C library can.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return unsafe self[range].withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base, Int32(byte), bytes.count) else {
                return nil
            }
            return unsafe range.lowerBound + base.distance(to: found)
        }
    }

    /// A range of this without the carriage return that may end it.
    func withoutCarriageReturn(_ line: Range<Int>) -> Range<Int> {
        guard self[line].last == UInt8(ascii: "\r") else { return line }
        return line.lowerBound..<line.upperBound - 1
    }
}
