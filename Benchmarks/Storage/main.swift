// How fast the outbox takes, reads and removes records of about 300 bytes, on the disk of the folder that is given
// as the first argument; else in memory.

import Foundation
import TrackerModels
import TrackerStorage

let location: OutboxConfiguration.Location =
    CommandLine.arguments.count > 1 ? .folder(CommandLine.arguments[1]) : .memory(MemoryDatabase())
let outbox = SQLiteOutbox(
    OutboxConfiguration(
        location: location, lane: LaneIdentity(kind: .session, owner: "925", origin: "https://api.example.com"),
        keyPrefix: "__GT_925_", limits: OutboxLimits(maxRecords: 1_000_000, maxBytes: 1 << 30), bindsSessions: true,
        wallClock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
        observer: { print("\($0)") }
    )
)
let clock = ContinuousClock()
let opening = clock.now
let opened = await withCheckedContinuation { continuation in outbox.open { continuation.resume(returning: $0) } }
_ = try opened.get()
print("open: \(clock.now - opening)")

let body = try JSONText(
    validating: #"{"brand_id":925,"event_name":"PURCHASE","data":{"text":"\#(String(repeating: "x", count: 230))"}}"#
)
await commit(.barrier)

for size in [1, 10, 100, 1000] {
    let count = size == 1 ? 10_000 : 100_000
    await report("append by \(size)", count: count) { await append(count, by: size) }
    try await report("peek and deliver by 50", count: count) { try await drain(by: 50) }
}

await append(1000, by: 1000)
try await report("peek at one", count: 50_000) {
    for _ in 0..<50_000 { _ = try outbox.peek(limit: 1, maxBytes: .max) }
}
try await drain(by: 50)

try await report("a million in and out", count: 1_000_000) {
    for _ in 0..<100 {
        await append(10_000, by: 1000)
        try await drain(by: 50)
    }
}
await withCheckedContinuation { continuation in outbox.close { continuation.resume() } }

/// Appends records in groups, each of which waits for the last.
func append(_ count: Int, by size: Int) async {
    for start in stride(from: 0, to: count, by: size) {
        await withCheckedContinuation { continuation in
            for number in start..<start + size {
                guard let id = MessageID("0a4ebc1e-72f6-4d5e-9c2c-\(number)") else { continue }
                let stamp = CallStamp(messageID: id, occurredAt: Timestamp(milliseconds: 0))
                let draft = Draft(stamp, Draft.Content(.event, .complete(body)))
                let isLast = number == start + size - 1
                outbox.stage(.append(draft)) { _ in if isLast { continuation.resume() } }
            }
        }
    }
}

/// Delivers everything in groups, without waiting for their removal.
func drain(by size: Int) async throws {
    while case let records = try outbox.peek(limit: size, maxBytes: .max).records, !records.isEmpty {
        outbox.stage(.delivered(records.map { RemovedRecord($0) }, bytes: WireBytes(before: 0, after: 0))) { _ in }
    }
    await commit(.barrier)
}

func commit(_ change: LaneChange) async {
    await withCheckedContinuation { continuation in outbox.stage(change) { _ in continuation.resume() } }
}

/// Prints how many a second `body` does of what it does `count` times.
func report(_ name: String, count: Int, _ body: () async throws -> Void) async rethrows {
    let start = clock.now
    try await body()
    let seconds = (clock.now - start) / .seconds(1)
    print("\(name): \(Int(Double(count) / seconds)) a second")
}
