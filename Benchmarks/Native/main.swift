// How fast `MobileTracker` takes calls within one program, while its server answers no event.
//
//   NativeBenchmark URL FOLDER COUNT each|callers|enqueue|loop
//
//   each     one caller, who awaits each call before the next
//   callers  eight callers, who do so at the same time
//   enqueue  eight callers, who await no call before the next, and all receipts at the end
//   loop     one caller of an `AnalyticsClient` with default options, who awaits no call before the next
//
// Prints the seconds until the last outcome and the processor time in seconds, as JSON; of a `loop` what became of the
// calls, once a server that answers has what is on disk.

import Foundation
import TrackerCore
import TrackerModels

let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[3]), count >= 8 else { exitWithUsage() }
if words[4] == "loop" {
    print(await TightLoop(count: count, url: words[1], folder: words[2]).run())
    exit(0)
}
guard let mode = Callers.Mode(rawValue: words[4]) else { exitWithUsage() }
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

func exitWithUsage() -> Never {
    FileHandle.standardError.write(Data("usage: NativeBenchmark URL FOLDER COUNT each|callers|enqueue|loop\n".utf8))
    exit(64)
}

/// What this process has used, in seconds.
func processorTime() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
