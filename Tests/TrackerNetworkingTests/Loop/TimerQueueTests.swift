import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("TimerQueue")
struct TimerQueueTests {
    private let ran = Recorder<Int>()

    private func queue(_ timers: (number: UInt64, at: Int64)...) -> TimerQueue {
        var queue = TimerQueue()
        for timer in timers {
            queue.insert(TimerID(timer.number), at: MonotonicInstant(nanoseconds: timer.at)) {
                [ran] in ran.record(Int(timer.number))
            }
        }
        return queue
    }

    private func runDue(_ queue: inout TimerQueue, at now: Int64, below limit: UInt64 = .max) {
        while let work = queue.popDue(at: MonotonicInstant(nanoseconds: now), below: limit) { work() }
    }

    @Test("gives what is due by its instant, and of one instant in the order of scheduling")
    func order() {
        var queue = queue((1, 30), (2, 10), (3, 20), (4, 10), (5, 30), (6, 31))

        #expect(queue.next == MonotonicInstant(nanoseconds: 10))
        runDue(&queue, at: 9)
        #expect(ran.all == [])
        runDue(&queue, at: 30)
        #expect(ran.all == [2, 4, 3, 1, 5])
        #expect(queue.next == MonotonicInstant(nanoseconds: 31))
    }

    @Test("forgets what was taken back")
    func removal() {
        var queue = queue((1, 10), (2, 20), (3, 30))

        queue.remove(TimerID(2))
        queue.remove(TimerID(9))
        runDue(&queue, at: 100)

        #expect(ran.all == [1, 3])
        #expect(queue.next == nil)
    }

    @Test("holds back what was scheduled after the limit was taken")
    func limit() {
        var queue = queue((1, 20), (5, 10), (2, 30))

        runDue(&queue, at: 100, below: 5)

        #expect(ran.all == [1, 2])
        #expect(queue.next == MonotonicInstant(nanoseconds: 10))
    }
}
