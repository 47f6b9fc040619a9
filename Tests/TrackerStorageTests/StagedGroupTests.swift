import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A staged group")
struct StagedGroupTests {
    /// Hears what became of calls, and promises each of them something.
    private final class Receiver: CallReceiver {
        private let log = Mutex<[String]>([])

        var heard: [String] { log.withLock(\.self) }

        func receive(_ answer: CallAnswer, of call: Int) { log.withLock { $0.append("\(call) \(answer.outcome)") } }

        func promise(_ id: MessageID, of call: Int, in bytes: inout [UInt8]) { bytes += "<\(call) \(id)>".utf8 }

        func keep(_ promises: ArraySlice<UInt8>, of calls: [(number: Int, end: Int)]) {
            var start = promises.startIndex
            for call in calls {
                let text = String(decoding: promises[start..<call.end], as: UTF8.self)
                log.withLock { $0.append("\(call.number) \(text)") }
                start = call.end
            }
        }
    }

    private let folder = TemporaryFolder()
    private let first = Receiver()
    private let second = Receiver()

    /// The same record, of a call whose caller is a receiver.
    private func call(_ draft: Draft, _ number: Int, of receiver: Receiver) -> Draft {
        let stamp = draft.stamp
        var call = Draft(
            CallStamp(
                messageID: stamp.messageID, hasCallerKey: stamp.hasCallerKey, occurredAt: stamp.occurredAt,
                acceptedAt: stamp.acceptedAt, number: number, name: "call \(number)",
                caller: Caller(receiver, call: number)), draft.content)
        call.isPending = draft.isPending
        return call
    }

    /// Answers calls as a client does.
    private static func answer(_ records: AnsweredRecords) {
        var index = records.indices.lowerBound
        while index < records.indices.upperBound {
            let kept = records.effect(index) == .queued ? records.keepPromises(from: index) : 0
            if kept == 0 {
                let id = records.messageID(index)
                switch records.effect(index) {
                case .pending: records.answer(index, .success(.pending(id)))
                case .refused(let reason): records.answer(index, .failure(Refusal(reason)))
                default: records.answer(index, .success(.queued(id)))
                }
            }
            index += max(kept, 1)
        }
    }

    /// Records whose bodies take every form.
    private func drafts() throws -> [Draft] {
        var head = JSONObjectWriter()
        head.append("event", "b")
        let member = BodyTemplate.Member.fixed(try JSONText(validating: #"{"n":1}"#))
        return [
            Draft.sample("a", body: #"{"event":"a"}"#),
            Draft.sample("b", .withSessionMetadata(EventBody(head, data: try JSONText(validating: #"{"x":1}"#)))),
            Draft.sample(
                "c", .template(BodyTemplate([member, .value("user", .own("user"))])),
                values: [ValueChange(.own("user"), "ann")]),
            Draft.sample("d", given: true, sessionMetadata: try JSONText(validating: #"{"plan":"p"}"#)),
            Draft.sample("e", .withSessionMetadata(EventBody(JSONObjectWriter(), data: nil))),
        ]
    }

    @Test("an entry is the same in another group", arguments: [false, true])
    func copies(isCopied: Bool) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.bindsSessions = false })
        var group = StagedGroup()
        for (number, draft) in try drafts().enumerated() {
            group.append(call(draft, number, of: first), of: RecordOwner(first, run: 1)) { { Self.answer($0) } }
        }
        if isCopied {
            var other = StagedGroup()
            other.append(call(.sample("z"), 9, of: second), of: RecordOwner(second, run: 1)) { { Self.answer($0) } }
            for entry in group.entries { other.append(entry, of: group) }
            group = other
        }

        let outcome = outbox.writer.withLock { $0.commit(group) }
        group.forEach { _, _ in
        } records: {
            group.answer($0, outcome.effects, in: outcome.lane, orElse: .storage)
        }

        let bodies = try outbox.peek(limit: 10, maxBytes: .max).records.map(\.body.text)
        let expected = [
            #"{"event":"a"}"#, #"{"event":"b","data":{"x":1}}"#, #"{"n":1,"user":"ann"}"#, #"{"event":"x"}"#,
            #"{"data":{"plan":"p"}}"#,
        ]
        #expect(bodies == (isCopied ? [#"{"event":"x"}"#] : []) + expected)
        #expect(second.heard == (isCopied ? ["9 <9 z>"] : []))
        #expect(first.heard == ["0 <0 a>", "1 <1 b>", "2 <2 c>", "3 <3 d>", "4 <4 e>"])
        #expect(outbox.value(for: .own("user")) == "ann")
    }

    @Test("callers of one group hear of their own calls, promised or not, in their order")
    func answers() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder) {
                $0.bindsSessions = false
                $0.limits.maxRecordBytes = 30
            })
        var pending = Draft.sample("e")
        pending.isPending = true
        let long = #"{"event":"\#(String(repeating: "x", count: 40))"}"#
        let calls: [(draft: Draft, receiver: Receiver)] = [
            (.sample("a"), first), (.sample("b"), first), (.sample("c", body: long), first), (.sample("d"), second),
            (pending, first), (.sample("f"), first), (.sample("f2", given: true), second),
            (.sample("f2", given: true), second),
        ]

        await withCheckedContinuation { continuation in
            for (number, entry) in calls.enumerated() {
                // All by one client, as in a host whose connections share it.
                outbox.stage(call(entry.draft, number, of: entry.receiver), of: RecordOwner(first, run: 1)) {
                    { Self.answer($0) }
                }
            }
            outbox.stage(.barrier) { _ in continuation.resume() }
        }

        #expect(
            first.heard == [
                "0 <0 a>", "1 <1 b>", "2 \(TrackOutcome.dropped(.tooLarge))",
                "4 \(TrackOutcome.pending(MessageID(accepted: "e")))", "5 <5 f>",
            ])
        #expect(second.heard == ["3 <3 d>", "6 <6 f2>", "7 <7 f2>"])
    }

    @Test("its buffers serve the next group")
    func reuse() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.bindsSessions = false })
        var group = StagedGroup()
        for round in 0..<3 {
            for number in 0..<4 {
                let call = call(.sample("r\(round)n\(number)"), number, of: first)
                group.append(call, of: RecordOwner(first, run: 1)) { { Self.answer($0) } }
            }
            #expect(group.numbers == 4 && group.records == 4)
            let outcome = outbox.writer.withLock { $0.commit(group) }
            group.answer(0..<4, outcome.effects, in: outcome.lane, orElse: .storage)
            group.clear()
            #expect(group.isEmpty && group.weight == 0 && group.byteCount == 0)
        }

        #expect(try outbox.queue().count == 12)
        #expect(first.heard.count == 12 && first.heard.last == "3 <3 r2n3>")
    }
}
