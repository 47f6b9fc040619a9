import Foundation
import TestSupport
import Testing
import TrackerStorage

@Suite("A queue of its own")
struct StandaloneOutboxTests {
    let folder = TemporaryFolder()

    @Test("keeps what was appended, in order, for another object and until it is removed")
    func keeps() async throws {
        let first = try await Outbox(folder: folder.path)
        for number in 1...3 { try await first.append(["n": .number(JSONNumber(number))]) }

        let second = try await Outbox(folder: folder.path)
        let messages = try second.peek()
        #expect(messages.map(\.number) == [1, 2, 3])
        #expect(messages.map { $0.body["n"]?.intValue } == [1, 2, 3])
        try await second.remove([messages[0], messages[2]])

        #expect(try first.peek().map(\.id) == [messages[1].id])
        #expect(try first.count == 1)
        await first.close()
        await second.close()
    }

    @Test("queues a message once under one key, and keeps queues of other names apart")
    func keys() async throws {
        let outbox = try await Outbox(folder: folder.path)
        let id = try #require(MessageID("order-1"))

        #expect(try await outbox.append(["a": 1], id: id) == id)
        #expect(try await outbox.append(["a": 2], id: id) == id)

        #expect(try outbox.peek().map { $0.body["a"]?.intValue } == [1])
        let other = try await Outbox(folder: folder.path, name: "other")
        #expect(try other.count == 0)
        let foreign = try outbox.peek()
        try await other.append(["b": 1])
        let error = await #expect(throws: StorageError.self) { try await other.remove(foreign) }
        #expect(error?.kind == .refused)
        #expect(try other.count == 1)
        await outbox.close()
        await other.close()
    }

    @Test("says why it takes no more: it is full, the message is too large, it is closed")
    func refuses() async throws {
        let outbox = try await Outbox(
            folder: folder.path, limits: OutboxLimits(maxRecords: 1, maxRecordBytes: 20))
        try await outbox.append(["a": 1])

        let full = await #expect(throws: StorageError.self) { try await outbox.append(["a": 2]) }
        #expect(full?.kind == .full && full?.message.contains("1 messages") == true)
        let large = await #expect(throws: StorageError.self) { try await outbox.append(["a": "12345678901234567890"]) }
        #expect(large?.kind == .refused && large?.message.contains("28 bytes; one may have 20") == true)
        await outbox.close()
        let closed = await #expect(throws: StorageError.self) { try await outbox.append(["a": 3]) }
        #expect(closed?.kind == .closed)
        let reopened = try await Outbox(folder: folder.path)
        #expect(try reopened.count == 1)
        await reopened.close()
    }

    @Test("removes nothing of a database that took the place of the one that was read")
    func replaced() async throws {
        let old = try await Outbox(folder: folder.path)
        try await old.append(["a": 1])
        let messages = try old.peek()
        await old.close()
        try FileManager.default.removeItem(atPath: folder.path)
        let new = try await Outbox(folder: folder.path)
        try await new.append(["a": 2])

        try await new.remove(messages)

        #expect(try new.peek().map(\.number) == messages.map(\.number))
        await new.close()
    }

    @Test("is delivered by one object at a time")
    func delivers() async throws {
        let first = try await Outbox(folder: folder.path)
        let second = try await Outbox(folder: folder.path)

        #expect(first.acquireDelivery())
        #expect(!second.acquireDelivery())
        first.releaseDelivery()
        #expect(second.acquireDelivery())
        await first.close()
        await second.close()
    }

    @Test("refuses a folder that cannot be used, and names it", arguments: ["relative", "/dev/null"])
    func folder(path: String) async {
        let error = await #expect(throws: StorageError.self) { _ = try await Outbox(folder: path) }
        #expect(error?.message.contains(path) == true)
    }
}
