import CCurl
import Foundation
import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("A libcurl handle")
struct CurlHandleTests {
    /// Reads what stands where libcurl writes its errors, at the moment at which it closes a connection.
    @safe private final class Witness {
        private let place: UnsafeMutablePointer<CChar>
        private(set) var text: String?

        init(_ place: UnsafeMutablePointer<CChar>) { unsafe self.place = place }

        func look() { text = unsafe String(cString: place) }
    }

    @Test("has a place for errors until it is cleaned up: libcurl may write there while it closes connections")
    func keepsPlaceForErrors() throws {
        let server = try LoopbackServer(script: [.status(200)])

        let text = try Self.textAtCleanup(server.url)

        #expect(text == "still here")
    }

    private static func textAtCleanup(_ url: String) throws -> String? {
        guard var handle = CurlHandle() else { throw CurlMemory() }
        let witness = unsafe Witness(handle.problem)
        let context = unsafe Unmanaged.passUnretained(witness).toOpaque()
        handle.set(CURLOPT_URL, url)
        handle.set(CURLOPT_PROXY, "")
        unsafe handle.set(CURLOPT_WRITEFUNCTION, sink: { _, size, count, _ in size * count })
        unsafe handle.set(
            opener: { _, _, address in
                unsafe socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
            }, opening: context,
            closer: { context, descriptor in
                if let context = unsafe context {
                    unsafe Unmanaged<Witness>.fromOpaque(context).takeUnretainedValue().look()
                }
                return close(descriptor)
            }, closing: context)
        #expect(unsafe tracker_curl_easy_perform(handle.raw) == CURLE_OK)
        #expect(witness.text == nil)
        unsafe strcpy(handle.problem, "still here")

        drop(handle)

        return withExtendedLifetime(witness) { witness.text }
    }

    private static func drop(_ handle: consuming CurlHandle) {}
}

private struct CurlMemory: Error {}
