import Foundation

/// One connection's descriptor, and what a server does with it.
struct LoopbackSocket {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a port on 127.0.0.1; 0: one of the system's choice.
    ///
    /// The port stays taken until the descriptor is closed, also when it listens no more: nobody else gets it but who
    /// asks for it.
    static func listen(port: UInt16 = 0) throws -> (descriptor: Int32, port: UInt16) {
        // A port that the system chooses must not be in use. It goes with the end of listening, unlike one that was
        // asked for: so it is asked for, while this socket keeps it.
        let chosen = port == 0 ? try bound(to: 0) : nil
        defer { if let chosen { close(chosen.descriptor) } }
        let (descriptor, port) = try bound(to: chosen?.port ?? port)
        guard Foundation.listen(descriptor, 128) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return (descriptor, port)
    }

    /// A socket that has a port on 127.0.0.1; 0: one of the system's choice, which others may ask for from then on.
    private static func bound(to port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = Foundation.socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        // A child process that had it would keep the port open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if port != 0 { makeReusable(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(descriptor, generic, size) == 0 && makeReusable(descriptor)
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    @discardableResult
    private static func makeReusable(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            let option = SO_REUSEPORT
        #else
            let option = SO_REUSEADDR
        #endif
        var yes: Int32 = 1
        return unsafe setsockopt(descriptor, SOL_SOCKET, option, &yes, 4) == 0
    }

    /// Connects to a port on 127.0.0.1.
    static func connect(port: UInt16) -> LoopbackSocket? {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = Foundation.socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Foundation.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return LoopbackSocket(descriptor)
    }

    /// The next connection; `nil` when the port is closed.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            let connection = Foundation.accept(listener, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                #if canImport(Darwin)
                    var yes: Int32 = 1
                    unsafe setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, 4)
                #endif
                return connection
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Sends all of it.
    ///
    /// - Returns: `false` if the client is gone.
    func send(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Foundation.send(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, flags)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// What has come in, at least a byte; `nil` at the end.
    func receive() -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
            count = max(0, unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Waits until the client or the server has ended the connection; what comes in meanwhile stays unread.
    ///
    /// - Returns: `false` if the time passed first.
    func waitUntilGone(atMost time: Duration?) -> Bool {
        var watched = pollfd(fd: descriptor, events: Self.goneEvents, revents: 0)
        let milliseconds = time.map { Int32($0 / .milliseconds(1)) } ?? -1
        return unsafe poll(&watched, 1, milliseconds) != 0
    }

    /// What `poll` is to tell of a client that has closed its side.
    ///
    /// Linux has a word of its own for that, `POLLRDHUP`, which its headers hide unless asked.
    static var goneEvents: Int16 {
        #if canImport(Darwin)
            Int16(POLLHUP)
        #else
            0x2000
        #endif
    }

    /// Has the connection torn down, not closed, when the descriptor is.
    func makeCloseReset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}

/// Takes requests out of a connection's bytes.
struct LoopbackReader {
    /// A request that does not know its number yet.
    struct Message {
        let method: String
        let target: String
        let headers: [(name: String, value: String)]
        var body: [UInt8] = []

        func request(number: Int, connection: Int) -> LoopbackRequest {
            LoopbackRequest(
                number: number, connection: connection, method: method, target: target, headers: headers, body: body)
        }
    }

    private let socket: LoopbackSocket
    private var buffer: [UInt8] = []

    init(_ socket: LoopbackSocket) { self.socket = socket }

    /// The next request; `nil` if the connection ended before it was whole.
    mutating func next() -> Message? {
        var headEnd = Self.headEnd(buffer)
        while headEnd == nil {
            guard let bytes = socket.receive() else { return nil }
            buffer += bytes
            headEnd = Self.headEnd(buffer)
        }
        guard let headEnd, var message = Self.message(buffer[..<headEnd]) else { return nil }
        buffer.removeFirst(headEnd + 4)
        let length = message.headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        while buffer.count < length {
            guard let bytes = socket.receive() else { return nil }
            buffer += bytes
        }
        message.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return message
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
    }

    private static func message(_ head: ArraySlice<UInt8>) -> Message? {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3 else { return nil }
        let headers = lines.dropFirst().map { line -> (name: String, value: String) in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
        }
        return Message(method: words[0], target: words[1], headers: headers)
    }
}
