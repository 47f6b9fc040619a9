// TrackerStorage alone: a queue on disk that survives the process.
//
//     OutboxExample FOLDER TEXT…    queues each text, and ends as a killed process would: without closing anything
//     OutboxExample FOLDER          shows what waits, oldest first, and removes it
//
// The target depends on the product TrackerStorage.

import Foundation
import TrackerStorage

let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first else {
    print("Usage: OutboxExample FOLDER [TEXT…]")
    exit(64)
}

func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

// A lane is one queue in the folder. This kind of lane needs no session before its records may leave.
let outbox = SQLiteOutbox(
    OutboxConfiguration(
        location: .folder(folder), lane: LaneIdentity(kind: .endpoint, owner: "", origin: "https://mail.example.com"),
        keyPrefix: "example_", bindsSessions: false, wallClock: now))

let opening = await withCheckedContinuation { done in outbox.open { done.resume(returning: $0) } }
if case .failure(let error) = opening {
    print(error.message)
    exit(1)
}

/// Makes a change, and waits until it is on disk.
func commit(_ change: LaneChange) async -> ChangeResult {
    await withCheckedContinuation { done in outbox.stage(change) { done.resume(returning: $0) } }
}

for text in arguments.dropFirst() {
    guard let id = MessageID(UUID().uuidString) else { continue }  // A UUID always is one.
    let draft = Draft(
        messageID: id, route: .endpoint, body: .complete(try JSONText(["text": .string(text)])),
        occurredAt: now(), acceptedAt: .zero)
    // Once this answers `queued`, the record outlives a crash.
    if case .queued(let id, let lane) = await commit(.append(draft)) {
        print("queued \(text) as \(id); \(lane.queuedRecords) wait")
    }
}

if arguments.count == 1 {
    // Look, deliver, then remove: a crash in between delivers again, and loses nothing.
    let records = try outbox.peek(limit: 100, maxBytes: 1 << 20).records
    for record in records { print("\(record.sequence) \(record.body.text)") }
    _ = await commit(.delivered(records.map(\.id), bytes: WireBytes(before: 0, after: 0)))
    print("\(try outbox.state().queuedRecords) wait")
}
