import CZlib

/// Writes bodies as gzip, one after the other, with one zlib stream that is set up once.
///
/// Level 1: a higher one costs twice the time for a few percent on JSON.
@safe struct GzipCompressor: ~Copyable {
    /// Behind a pointer, since zlib remembers where its stream lies.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Returns: `nil` if memory is short.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe tracker_gzip_deflate_init(stream, 1) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// - Returns: The body as gzip; `nil` if that is not smaller.
    func compress(_ body: [UInt8]) -> [UInt8]? {
        guard body.count > 1, let size = UInt32(exactly: body.count), unsafe deflateReset(stream) == Z_OK else {
            return nil
        }
        // Output that does not fit into one byte less than the input is of no use.
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: body.count - 1) { output, count in
            unsafe body.withUnsafeBufferPointer { input in
                // zlib never writes to its input; its interface only lacks the word.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = size
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = size - 1
                let isWhole = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
                count = isWhole ? unsafe body.count - 1 - Int(stream.pointee.avail_out) : 0
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
        }
        return compressed.isEmpty ? nil : compressed
    }
}
