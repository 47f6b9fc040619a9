import CZlib

/// Unpacks gzip.
public enum Gzip {
    /// The bytes that `packed` stands for; `nil` if it is not one whole gzip stream.
    public static func decompress(_ packed: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe tracker_gzip_inflate_init(&stream) == Z_OK else { return nil }
        defer { unsafe inflateEnd(&stream) }
        var result: [UInt8] = []
        var packed = packed
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        return unsafe packed.withUnsafeMutableBufferPointer { input -> [UInt8]? in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = unsafe chunk.withUnsafeMutableBufferPointer { output -> (Int32, Int) in
                    unsafe stream.next_out = output.baseAddress
                    unsafe stream.avail_out = UInt32(output.count)
                    let status = unsafe inflate(&stream, Z_NO_FLUSH)
                    return unsafe (status, output.count - Int(stream.avail_out))
                }
                result += chunk[..<count]
                if status == Z_STREAM_END { return unsafe stream.avail_in == 0 ? result : nil }
                guard status == Z_OK else { return nil }
            }
        }
    }
}
