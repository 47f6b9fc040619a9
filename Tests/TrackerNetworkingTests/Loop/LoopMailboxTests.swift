import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("LoopMailbox")
struct LoopMailboxTests {
    private let wakes = Recorder<Void>()
    private let mailbox: LoopMailbox
    private let request = HTTPRequest(method: .get, url: "http://127.0.0.1/")

    init() {
        let wakes = wakes
        mailbox = LoopMailbox(wake: { wakes.record(()) })
    }

    private func isParked() -> Bool {
        if case .until = mailbox.park() { true } else { false }
    }

    private func take() -> Int {
        var commands: [LoopMailbox.Command] = []
        _ = mailbox.take(into: &commands)
        return commands.count
    }

    @Test("a loop that runs is not woken, and does not park while something is left")
    func running() {
        for _ in 0..<10 { _ = mailbox.post {} }

        #expect(wakes.all.count == 0)
        #expect(!isParked())
        #expect(take() == 10)
        #expect(isParked())
    }

    @Test("a parked loop is woken once, however much comes")
    func coalesced() {
        #expect(isParked())

        for _ in 0..<10 { _ = mailbox.post {} }
        _ = mailbox.submit(request) { _ in }
        mailbox.cancel(TransferID(1))
        mailbox.close()

        #expect(wakes.all.count == 1)
    }

    @Test("a loop that left its park by itself is not woken")
    func unparked() {
        #expect(isParked())
        mailbox.unpark()

        _ = mailbox.post {}

        #expect(wakes.all.count == 0)
    }

    @Test("a timer wakes a parked loop if it is the earliest, and only then")
    func timers() {
        _ = mailbox.schedule(at: MonotonicInstant(nanoseconds: 100)) {}
        guard case .until(let instant) = mailbox.park() else {
            Issue.record("did not park")
            return
        }
        #expect(instant == MonotonicInstant(nanoseconds: 100))

        let late = mailbox.schedule(at: MonotonicInstant(nanoseconds: 100)) {}
        mailbox.cancel(late)
        #expect(wakes.all.count == 0)

        _ = mailbox.schedule(at: MonotonicInstant(nanoseconds: 99)) {}
        #expect(wakes.all.count == 1)
    }

    @Test("a closed mailbox takes no work and no timers, but completions until its end")
    func closed() {
        mailbox.close()

        #expect(!mailbox.post {})
        _ = mailbox.schedule(at: MonotonicInstant(nanoseconds: 0)) {}
        #expect(mailbox.popTimer(at: MonotonicInstant(nanoseconds: 1), below: .max) == nil)
        #expect(mailbox.submit(request) { _ in }.isTaken)
        #expect(mailbox.end() == nil)
        #expect(take() == 1)
        #expect(mailbox.end() != nil)
        #expect(!mailbox.submit(request) { _ in }.isTaken)
    }

    @Test("work for the end runs then, or at once after it")
    func end() {
        let told = Recorder<String>()
        mailbox.whenEnded { told.record("before") }
        mailbox.close()

        for work in mailbox.end() ?? [] { work() }
        mailbox.whenEnded { told.record("after") }

        #expect(told.all == ["before", "after"])
    }
}
