// A command-line program that tracks its runs: it counts words, and says afterwards how that went.
//
//     CommandLineExample FILE…
//
// MOBILE_TRACKER_API_URL is the backend, such as http://127.0.0.1:8123 with `mobile-tracker collect`.

import Foundation
import TrackerCore

let environment = ProcessInfo.processInfo.environment
let tracker = MobileTracker.shared
do {
    // In the background: without a network the program starts all the same, and a later run sends what it tracked.
    try await tracker.initialize(
        brandId: "925",
        config: TrackerConfig(
            apiUrl: environment["MOBILE_TRACKER_API_URL"] ?? "http://127.0.0.1:8123", xApiKey: "any-key-12345678",
            sessionCreation: .inBackground))
} catch {
    // A wrong address, for instance. A program does its work without tracking, too.
    print("not tracked: \(error.message)")
}

var words = 0
var unreadable: [String] = []
let paths = CommandLine.arguments.dropFirst()
for path in paths {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        unreadable.append(path)
        continue
    }
    words += text.split(whereSeparator: \.isWhitespace).count
}
print("\(words) words in \(paths.count - unreadable.count) files")
for path in unreadable { print("\(path) cannot be read") }

let outcome = await tracker.track(
    eventName: "COMMAND_RUN",
    attributes: ["files": JSONValue(paths.count), "words": JSONValue(words), "failed": JSONValue(!unreadable.isEmpty)])
print(outcome)
// `exit` ends the process at once, so send first. If the backend is away this returns at once: the rest is on disk.
let report = await tracker.flush()
print("\(report.delivered) delivered, \(report.remaining) wait")
await tracker.shutdown()
exit(unreadable.isEmpty ? 0 : 1)
