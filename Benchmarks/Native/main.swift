// How fast `MobileTracker` takes calls within one program, while its server answers no event.
//
//   NativeBenchmark URL FOLDER COUNT each|callers|enqueue
//
//   each     one caller, who awaits each call before the next
//   callers  eight callers, who do so at the same time
//   enqueue  eight callers, who await no call before the next, and all receipts at the end
//
// Prints the seconds until the last outcome and the processor time in seconds, as JSON.

import Foundation
import TrackerCore
import TrackerModels

let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[3]), count >= 8, let mode = Callers.Mode(rawValue: words[4]) else {
    FileHandle.standardError.write(Data("usage: NativeBenchmark URL FOLDER COUNT each|callers|enqueue\n".utf8))
    exit(64)
}
let tracker = MobileTracker()
try await tracker.initialize(
    brandId: "925",
    config: TrackerConfig(
        apiUrl: words[1], xApiKey: "key-12345678",
        delivery: DeliveryOptions(storageDirectory: words[2], maxQueuedEvents: 1_000_000, maxQueuedBytes: 1 << 30)))

let before = processorTime()
let start = ContinuousClock.now
await Callers(tracker: tracker, count: count).run(mode)
let seconds = (ContinuousClock.now - start) / .seconds(1)
print("{\"seconds\":\(seconds),\"cpu\":\(processorTime() - before)}")
// The server leaves a request unanswered: there is nothing to wait for.
exit(0)

/// What this process has used, in seconds.
func processorTime() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
