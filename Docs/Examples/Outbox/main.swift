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

do {
    let outbox = try await Outbox(folder: folder)
    for text in arguments.dropFirst() {
        // Once this returns, the message outlives a crash.
        let id = try await outbox.append(["text": .string(text)])
        print("queued \(text) as \(id); \(try outbox.count) wait")
    }
    if arguments.count == 1 {
        // Look, deliver, then remove: a crash in between delivers again, and loses nothing.
        let messages = try outbox.peek()
        for message in messages { print("\(message.number) \(message.body["text"]?.stringValue ?? "")") }
        try await outbox.remove(messages)
        print("\(try outbox.count) wait")
    }
} catch {
    print(error)
    exit(1)
}
