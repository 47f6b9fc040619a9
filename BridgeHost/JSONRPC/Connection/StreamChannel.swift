import Dispatch

/// Writes to a stream that may block, such as a pipe: on a thread of its own, but for a little that surely fits.
///
/// Only that thread ever waits for the client to read.
struct StreamChannel: OutputChannel {
    /// The largest write, so that it is known how far the client has read.
    private static let maxWrite = 256 << 10
    /// The largest empty buffer that is kept.
    private static let maxSpareCapacity = 1 << 20

    private let output: ByteStream
    private let wake: WakePipe
    private let queue = DispatchQueue(label: "JSONRPC.output")
    let directBytes: Int

    init(_ output: ByteStream, wake: WakePipe) {
        self.output = output
        self.wake = wake
        directBytes = output.isPipe ? ByteStream.pageBytes : 0
    }

    func wakeReader() { wake.wake() }

    func write(_ first: [UInt8]?, of output: OutputQueue) {
        // A little that a pipe has room for needs no other thread. Nobody else writes meanwhile.
        if let first, self.output.hasRoomForPage {
            guard write(first, in: 0..<first.count, of: output), output.goesOnWriting() else { return }
            return queue.async { writeAll([], of: output) }
        }
        queue.async { writeAll(first ?? [], of: output) }
    }

    private func writeAll(_ first: [UInt8], of output: OutputQueue) {
        var bytes = first
        repeat {
            var rest = 0..<bytes.count
            while !rest.isEmpty {
                let piece = rest.prefix(Self.maxWrite)
                guard write(bytes, in: piece, of: output) else { return }
                rest = piece.upperBound..<rest.upperBound
            }
        } while takePending(&bytes, of: output)
    }

    /// - Returns: Whether the client reads still.
    private func write(_ bytes: [UInt8], in piece: Range<Int>, of output: OutputQueue) -> Bool {
        guard self.output.write(bytes, in: piece) else {
            output.breakOff()
            return false
        }
        output.recordWritten(piece.count)
        return true
    }

    private func takePending(_ bytes: inout [UInt8], of output: OutputQueue) -> Bool {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxSpareCapacity)
        let spare = bytes
        bytes = []
        let taken = output.takePending(leaving: spare)
        bytes = taken ?? []
        return taken != nil
    }
}
