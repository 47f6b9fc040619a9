import Testing

@testable import JSONRPC

@Suite("OutputQueueState")
final class OutputQueueStateTests {
    private var state: OutputQueueState
    private static let nothing = OutputQueueState.Consequences()

    init() {
        var limits = ConnectionLimits()
        limits.maxUnansweredCalls = 4
        limits.maxUnansweredBytes = 1_000
        limits.maxLateCalls = 2
        limits.maxUnreadBytes = 10
        limits.maxBytesBeforeNotifications = 5
        state = OutputQueueState(limits: limits)
    }

    @Test("wakes the reader when half of the calls that may be unanswered are answered, and once")
    func wakesAtHalf() {
        for _ in 0..<4 { #expect(admit()) }

        #expect(!admit(parks: true))
        state.flow.answer(1, isLate: false)
        state.flow.answer(1, isLate: false)
        #expect(consequences() == Self.nothing)
        state.flow.answer(1, isLate: false)
        #expect(consequences().wakesReader)
        #expect(consequences() == Self.nothing)
        #expect(admit())
    }

    @Test("does not wake a reader that does not wait")
    func doesNotWakeTheBusy() {
        for _ in 0..<4 { _ = admit() }

        #expect(!admit(parks: false))
        for _ in 0..<4 { state.flow.answer(1, isLate: false) }

        #expect(consequences() == Self.nothing)
    }

    @Test("takes one call however long it is, and then none")
    func boundsBytes() {
        #expect(admit(5_000))
        #expect(!admit(1))
    }

    @Test("counts calls that may be late apart, and bounds them, too")
    func boundsLateCalls() {
        for _ in 0..<2 {
            #expect(admit())
            state.flow.postpone(1)
        }

        #expect(!admit(parks: true))
        state.flow.answer(1, isLate: true)
        #expect(consequences() == Self.nothing)
        state.flow.answer(1, isLate: true)
        #expect(consequences().wakesReader)
    }

    @Test("writes a refusal instead of a long answer while too much is unread, and short answers always")
    func refusesLongAnswers() {
        let long = [UInt8](repeating: 1, count: OutputQueueState.shortAnswer + 1)
        func answer(_ bytes: [UInt8]) { state.append(byWriting: { $0 += bytes }, orElse: { $0.append(9) }) }

        answer(long)
        answer(long)
        answer([2])

        #expect(taken() == long + [10, 9, 10, 2, 10])
        #expect(state.flow.unreadBytes == long.count + 5)
        state.recordWritten(long.count + 5)
        answer(long)
        #expect(taken() == long + [10])
    }

    @Test("takes no call while too much is unread, but the calls of a batch that is under way")
    func boundsUnread() {
        state.append(Array(repeating: 0, count: 10))

        #expect(!admit())
        #expect(admit(isInBatch: true))
    }

    @Test("counts the answers of a batch as unread while they wait for the others")
    func countsGathered() {
        _ = admit()
        state.flow.gather(11)

        #expect(!admit(parks: true))
        state.flow.ungather(11)
        #expect(consequences().wakesReader)
    }

    @Test("starts writing once, and again when the writer has rested")
    func startsWriting() {
        state.append([1])
        #expect(consequences().startsWriting)
        state.append([2])
        #expect(!consequences().startsWriting)

        #expect(taken() == [1, 10, 2, 10])
        #expect(taken() == nil)
        state.append([3])
        #expect(consequences().startsWriting)
    }

    @Test("does not write while someone gathers more")
    func holdsBack() {
        state.holds += 1
        state.append([1])
        #expect(consequences() == Self.nothing)
        #expect(taken() == nil)

        state.holds -= 1
        #expect(consequences().startsWriting)
    }

    @Test("forgets what is unread once the reader is gone")
    func breaksOff() {
        state.append(Array(repeating: 0, count: 20))
        _ = consequences()
        #expect(!admit(parks: true))

        state.breakOff()

        #expect(consequences().wakesReader)
        state.append([1])
        #expect(consequences() == Self.nothing)
        #expect(state.flow.unreadBytes == 0)
    }

    @Test("is finished when all is answered, written, and the responder is done")
    func finishes() {
        _ = admit()
        #expect(!isFinished())
        state.isResponderDone = true
        #expect(consequences() == Self.nothing)
        state.flow.answer(1, isLate: false)
        state.append([1])
        #expect(!consequences().wakesReader)
        _ = taken()
        #expect(consequences() == Self.nothing)

        state.flow.read(2)

        #expect(consequences().wakesReader)
        #expect(isFinished())
    }

    @Test("counts notifications while too much is unread, and until it is said how many")
    func countsNotifications() {
        state.append(notification: [1, 2, 3, 4, 5])
        state.append(notification: [6])
        #expect(taken() == [1, 2, 3, 4, 5, 10])
        state.tellLoss { [UInt8($0)] }
        #expect(taken() == nil)

        state.isResponderDone = true
        state.flow.read(6)
        state.append(notification: [7])
        #expect(taken() == nil)
        #expect(!isFinished())
        state.tellLoss { [UInt8($0)] }
        #expect(taken() == [2, 10])

        state.flow.read(2)
        state.append(notification: [8])
        #expect(taken() == [8, 10])
    }

    private func admit(_ bytes: Int = 1, isInBatch: Bool = false, parks: Bool = false) -> Bool {
        state.admit(bytes, isInBatch: isInBatch, parks: parks)
    }

    private func consequences() -> OutputQueueState.Consequences { state.consequences() }

    private func taken() -> [UInt8]? { state.takePending(leaving: []) }

    private func isFinished() -> Bool { state.isFinishedOrParks() }
}
