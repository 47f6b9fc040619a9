import TrackerPlatform

/// One end of a connected socket, closed when nobody has it any more: its number cannot become another file's while a
/// late answer is on its way.
final class SocketDescriptor: Sendable {
    enum Writing: Sendable {
        case wrote(Int)
        case full
        case failed
    }

    let descriptor: Int32

    /// Takes over an open socket, and makes it non-blocking.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { closeDescriptor(descriptor) }

    /// Writes as much as there is room for.
    func write(_ bytes: [UInt8], from position: Int) -> Writing {
        while true {
            let count = unsafe bytes[position...].withUnsafeBytes {
                unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return .wrote(count) }
            if errno == EAGAIN { return .full }
            if errno != EINTR { return .failed }
        }
    }

    /// Reads what is there; `nil` if nothing is.
    func read(into buffer: inout [UInt8]) -> ByteStream.Reading? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe systemRead(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return .failed(errno: errno) }
        }
    }

    /// Tells the other side that this is the end.
    func hangUp() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

// Inside the type, its own methods hide the system calls of the same names.

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
