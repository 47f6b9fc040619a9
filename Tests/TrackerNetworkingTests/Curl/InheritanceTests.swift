import Foundation
import TestSupport
import Testing
import TrackerNetworking

/// It runs in a process of its own: in the one that runs the tests, other tests open and close descriptors meanwhile.
@Suite("What a loop opens")
struct InheritanceTests {
    @Test("is closed in programs that are started: its connections and what wakes it")
    func closedOnExec() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer(script: [.nothing(then: .stall)])
            let before = Set(Descriptor.open)
            let loop = try CurlLoop(configuration: TransportConfiguration(userAgent: "test", proxy: ""))
            let wakers = Set(Descriptor.open).subtracting(before)

            loop.submit(HTTPRequest(method: .get, url: server.url)) { _ in }
            try await server.requests(atLeast: 1)
            let connections = Descriptor.open.filter { $0.peerPort == server.port }

            #expect(!wakers.isEmpty)
            #expect(connections.count == 1)
            for descriptor in wakers.union(connections) {
                #expect(descriptor.isClosedOnExec, "\(descriptor.name)")
            }
            loop.close()
            await loop.ended()
        }
    }
}

/// An open file descriptor of this process.
private struct Descriptor: Hashable {
    let number: Int32

    /// All that are open, as far as this small process has numbers.
    static var open: [Descriptor] {
        (0..<1024).map(Descriptor.init).filter { fcntl($0.number, F_GETFD) >= 0 }
    }

    var isClosedOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }

    /// What it is open for, such as `7 socket:[8123]`.
    var name: String {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return "\(number) \(target ?? "")"
    }

    /// The port at the other end of an IPv4 connection; `nil` if it is none.
    var peerPort: UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(number, $0, &length) == 0
            }
        }
        guard isConnected, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
