// A server's loop: one client reports the requests of many users, each as its user's.
//
//     ServerExample < requests
//
// A line of standard input stands for a request, such as `ada /cart`. MOBILE_TRACKER_API_URL is the backend; without it,
// the collector that `mobile-tracker collect` runs.

import Foundation
import TrackerCore

let options = InitOptions(
    writeKey: "any-key-12345678",
    ingestionHost: ProcessInfo.processInfo.environment["MOBILE_TRACKER_API_URL"] ?? "http://127.0.0.1:8123")
do {
    try options.validate()
} catch {
    print(error.message)
    exit(78)
}
// Returns at once. What is tracked before the queue is open waits for it, in order.
let analytics = AnalyticsClient.initialize(options: options)

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 2 else {
        print("400 \(line)")
        continue
    }
    let (user, path) = (words[0], words[1])
    print("200 \(path)")
    // Nothing waits for the disk or the network here. Options hold for their call alone.
    analytics.track("Request Answered", properties: ["path": .string(path)], options: CallOptions(userId: user))
}

// The input has ended, as at SIGTERM. If the backend is away this ends at once, and the rest waits on disk.
let report = await analytics.flush(timeout: .seconds(30))
print("\(report.delivered) delivered, \(report.remaining) wait")
await analytics.shutdown()
