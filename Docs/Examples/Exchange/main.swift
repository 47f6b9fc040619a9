// TrackerNetworking alone: one request, and its answer.
//
//     ExchangeExample URL    asks a backend for a session, such as http://127.0.0.1:8123
//
// The target depends on the product TrackerNetworking, which brings libcurl's keep-alive, HTTP/2, gzip and redirects.

import Foundation
import TrackerNetworking

guard CommandLine.arguments.count == 2 else {
    print("Usage: ExchangeExample URL")
    exit(64)
}

// One thread, which sleeps while there is nothing to do. Keep one for all requests: it keeps the connections.
let loop = try CurlLoop(configuration: TransportConfiguration(userAgent: "exchange-example/1.0"))

let device = UUID().uuidString.lowercased()
let body = #"{"device_id":"\#(device)","os_name":"Linux","device_type":"Desktop","brand_id":925}"#
let request = HTTPRequest(
    method: .post, url: CommandLine.arguments[1] + "/v2/tracking-session",
    headers: [
        "Content-Type": "application/json", "X-API-Key": "any-key-12345678", "Idempotency-Key": UUID().uuidString,
    ],
    body: Array(body.utf8),
    timeout: .seconds(10))

do {
    let response = try await loop.send(request)
    // Whatever the status, the server has answered.
    print("\(response.status) \(String(decoding: response.body, as: UTF8.self))")
} catch {
    print(error.message)
    exit(1)
}
loop.close()
await loop.ended()
