import Foundation

/// A connection to a server on the loopback interface, with no more HTTP than the server needs.
struct BareConnection: ~Copyable {
    private let number: Int32

    init(port: UInt16) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(
                number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else { throw HostClient.Failure(description: "The server cannot be reached.") }
    }

    deinit { close(number) }

    /// Sends a request and reads an answer, which must come in one piece.
    func post(_ path: String, _ body: String) throws {
        let head = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let request = Array((head + body).utf8)
        var answer = [UInt8](repeating: 0, count: 1024)
        guard unsafe write(number, request, request.count) == request.count, unsafe read(number, &answer, 1024) > 0
        else { throw HostClient.Failure(description: "The server has gone.") }
    }
}
