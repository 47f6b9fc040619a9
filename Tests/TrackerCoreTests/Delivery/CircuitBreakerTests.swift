import TestSupport
import Testing
import TrackerNetworking

@testable import TrackerCore

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    private let policy = DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker

    private func failed(_ times: Int, _ breaker: inout CircuitBreaker, at now: inout MonotonicInstant) {
        var generator = NoJitter()
        for _ in 0..<times {
            if case .wait(let until) = breaker.admission(at: now) { now = until }
            breaker.depart()
            breaker.fail(at: now, floor: .zero, using: &generator)
        }
    }

    @Test(
        "waits longer after each failure in a row, and opens at the threshold",
        arguments: zip(1...7, [1.0, 2, 10, 20, 40, 80, 120]))
    func growsTheWait(failures: Int, wait: Double) {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)

        failed(failures, &breaker, at: &now)

        #expect(breaker.admission(at: now) == .wait(until: now.advanced(by: .seconds(wait))))
        #expect(breaker.state.circuit == (failures < 3 ? .closed : .open))
    }

    @Test("lets one probe through when the cooldown has passed, and none beside it")
    func probesOnce() {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(3, &breaker, at: &now)

        now = now.advanced(by: .seconds(10))
        #expect(breaker.admission(at: now) == .proceed)
        breaker.depart()

        #expect(breaker.state.circuit == .halfOpen)
        #expect(breaker.admission(at: now) == .probing)
        #expect(!breaker.isFlowing)
    }

    @Test("starts over once a probe was answered")
    func startsOver() {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(6, &breaker, at: &now)
        if case .wait(let until) = breaker.admission(at: now) { now = until }
        breaker.depart()

        breaker.close()
        #expect(breaker.state == .closed(failures: 0, until: nil))

        failed(3, &breaker, at: &now)
        #expect(breaker.admission(at: now) == .wait(until: now.advanced(by: .seconds(10))))
    }

    @Test("neither overflows nor loses its bound after a million trips")
    func survivesAMillionTrips() {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)

        failed(1_000_000, &breaker, at: &now)

        #expect(breaker.admission(at: now) == .wait(until: now.advanced(by: .seconds(120))))
    }

    @Test("takes waits of any length", arguments: [1, 400, 1_000_000] as [Int64])
    func longWaits(years: Int64) {
        let year = Duration.seconds(365 * 86_400)
        var breaker = CircuitBreaker(
            DeliveryOptions(retryDelay: year, cooldown: year, maxCooldown: year * years, jitter: 0).breaker)
        var now = MonotonicInstant.seconds(0)

        failed(100, &breaker, at: &now)

        #expect(breaker.state.circuit == .open)
        guard case .wait(let until) = breaker.admission(at: .seconds(0)) else {
            Issue.record("it does not wait")
            return
        }
        // A century of waits is within what an instant holds; more stays at its end.
        #expect(until >= .seconds(99 * 365 * 86_400))
    }

    @Test("opens at the first failure if told so, and one that departed earlier makes it wait no less")
    func opensAtOnce() {
        var generator = NoJitter()
        var breaker = CircuitBreaker(DeliveryOptions(retryDelay: .seconds(1), failureThreshold: 1, jitter: 0).breaker)

        breaker.fail(at: .seconds(0), floor: .zero, using: &generator)
        #expect(breaker.state == .open(trips: 1, until: .seconds(10)))
        breaker.fail(at: .seconds(1), floor: .zero, using: &generator)
        #expect(breaker.state == .open(trips: 1, until: .seconds(10)))
        breaker.fail(at: .seconds(1), floor: .seconds(60), using: &generator)
        #expect(breaker.state == .open(trips: 1, until: .seconds(61)))
    }

    /// What comes while a time that the server asked for is waited for.
    enum LaterAnswer: CaseIterable {
        case failure, shorterWait, trip, success, failedProbe, lateSuccess

        func come(to breaker: inout CircuitBreaker) {
            var generator = NoJitter()
            switch self {
            case .failure: breaker.fail(at: .seconds(1), floor: .zero, using: &generator)
            case .shorterWait: breaker.fail(at: .seconds(1), floor: .seconds(5), using: &generator)
            case .trip: for _ in 0..<5 { breaker.fail(at: .seconds(1), floor: .zero, using: &generator) }
            case .success: breaker.close()
            case .failedProbe:
                for _ in 0..<2 { breaker.fail(at: .seconds(1), floor: .zero, using: &generator) }
                breaker.depart()
                breaker.fail(at: .seconds(1), floor: .zero, using: &generator)
            case .lateSuccess:
                for _ in 0..<2 { breaker.fail(at: .seconds(1), floor: .zero, using: &generator) }
                breaker.close()
            }
        }
    }

    @Test("waits as long as any server asked for, whatever is answered meanwhile", arguments: LaterAnswer.allCases)
    func keepsAskedWaits(later: LaterAnswer) {
        var generator = NoJitter()
        var breaker = CircuitBreaker(policy)

        breaker.fail(at: .seconds(0), floor: .seconds(60), using: &generator)
        later.come(to: &breaker)

        #expect(breaker.admission(at: .seconds(59)) == .wait(until: .seconds(60)))
        #expect(breaker.until == .seconds(60))
        #expect(breaker.admission(at: .seconds(60)) == .proceed)
    }

    @Test("ends a wait that the server asked for when the network is back, and with other credentials")
    func endsAskedWaits() {
        var generator = NoJitter()
        var renewed = CircuitBreaker(policy)
        renewed.fail(at: .seconds(0), floor: .seconds(60), using: &generator)
        renewed.close()
        var resumed = renewed

        renewed.cutShort(at: .seconds(1))
        resumed.startOver()

        #expect(renewed.admission(at: .seconds(1)) == .proceed)
        #expect(resumed.admission(at: .seconds(1)) == .proceed)
    }

    @Test("keeps jitter within its bounds, and never shortens what the server asked for")
    func jittersWithinBounds() throws {
        var generator = SeededGenerator(seed: 7)
        var seen: Set<Int64> = []
        for _ in 0..<1000 {
            var breaker = CircuitBreaker(DeliveryOptions(retryDelay: .seconds(1), jitter: 0.2).breaker)
            let now = MonotonicInstant.seconds(5)
            breaker.fail(at: now, floor: .zero, using: &generator)
            guard case .wait(let until) = breaker.admission(at: now) else {
                Issue.record("a failure was not followed by a wait")
                return
            }
            let wait = now.duration(to: until)
            #expect(wait >= .seconds(0.8) && wait <= .seconds(1.2))
            seen.insert(until.nanoseconds)

            var asked = CircuitBreaker(DeliveryOptions(retryDelay: .seconds(1), jitter: 1).breaker)
            asked.fail(at: now, floor: .seconds(90), using: &generator)
            guard case .wait(let later) = asked.admission(at: now) else {
                Issue.record("a failure was not followed by a wait")
                return
            }
            #expect(now.duration(to: later) >= .seconds(90))
        }
        #expect(seen.count > 100)
        // Both ends of the range are come by.
        #expect(try #require(seen.min()) < MonotonicInstant.seconds(5.82).nanoseconds)
        #expect(try #require(seen.max()) > MonotonicInstant.seconds(6.18).nanoseconds)
    }

    @Test("lets the next probe go at once after one that was cancelled")
    func abandonsAProbe() {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(3, &breaker, at: &now)
        now = now.advanced(by: .seconds(10))
        breaker.depart()

        breaker.abandon(at: now)

        #expect(breaker.admission(at: now) == .proceed)
    }

    @Test("ends a wait when the network is back, and only that wait", arguments: [1, 3, 5])
    func cutsShort(failures: Int) {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(failures, &breaker, at: &now)

        breaker.cutShort(at: now)
        #expect(breaker.admission(at: now) == .proceed)

        failed(1, &breaker, at: &now)
        #expect(breaker.admission(at: now) != .proceed)
    }

    @Test("begins a wait anew that was ended in vain, and makes it no longer")
    func cutsShortInVain() {
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(3, &breaker, at: &now)

        for _ in 0..<5 {
            breaker.cutShort(at: now)
            breaker.cutShort(at: now)
            failed(1, &breaker, at: &now)
        }

        #expect(breaker.until == now.advanced(by: .seconds(10)))
    }

    @Test("begins a wait anew that was ended twice before the next try, and none that the server has asked for")
    func cutsShortTwice() {
        var generator = NoJitter()
        var breaker = CircuitBreaker(policy)
        var now = MonotonicInstant.seconds(0)
        failed(5, &breaker, at: &now)
        #expect(breaker.until == now.advanced(by: .seconds(40)))

        breaker.cutShort(at: now)
        breaker.cutShort(at: now)
        breaker.depart()
        breaker.fail(at: now, floor: .zero, using: &generator)
        #expect(breaker.until == now.advanced(by: .seconds(40)))

        now = now.advanced(by: .seconds(40))
        breaker.depart()
        breaker.fail(at: now, floor: .seconds(3600), using: &generator)
        for _ in 0..<5 { breaker.cutShort(at: now, sparingServer: true) }
        #expect(breaker.admission(at: now) == .wait(until: now.advanced(by: .seconds(3600))))
    }
}
