import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

extension ClockReading {
    static func seconds(_ seconds: Double) -> ClockReading {
        ClockReading(now: .seconds(seconds), wall: Timestamp(milliseconds: Int64(seconds * 1000)))
    }
}

/// A delivery state, and what it would find: the engine's part, as values.
struct PlayedLane {
    var state: DeliveryState
    var peek: Peek
    /// Whether another process has the lane.
    var isTakenElsewhere = false
    /// Whether what was done here is on disk when the lane is let go.
    var isWritten = true
    /// How many records are queued while the lane is let go.
    var queuedMeanwhile = 0
    var diskError: StorageError?
    private(set) var sent: [Plan] = []
    private(set) var reported: [DeliveryEvent] = []
    /// How `initialize` ended, each time.
    private(set) var concluded: [Conclusion] = []
    private var tokens: [DeliveryState.Token] = []

    enum Conclusion: Hashable {
        case success(TrackerError.Cause?)
        case failure(TrackerError.Cause?)
    }

    init(dialect: any Dialect, _ peek: Peek, haltRetry: Duration? = nil, requests: Int = 1) {
        state = DeliveryState(
            dialect: dialect, breaker: DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker,
            maxConcurrentRequests: requests, eventTTL: nil, haltRetry: haltRetry, jitter: NoJitter())
        self.peek = peek
    }

    /// A lane of a basic client that delivers.
    init(_ records: [Record], haltRetry: Duration? = nil, requests: Int = 1) {
        self.init(
            dialect: GroupDialect.arrays(
                endpoint: "https://in.example.com/e", apiKey: Secret("k"), timeout: .seconds(30)),
            Peek.sample(records, state: .sample(queued: records.count)), haltRetry: haltRetry, requests: requests)
        state.start()
        state.wake()
    }

    /// Plays a round.
    ///
    /// - Returns: What was asked of the engine.
    @discardableResult
    mutating func round(at seconds: Double = 0, isPaused: Bool = false) -> [String] {
        let reading = ClockReading.seconds(seconds)
        var steps: [String] = []
        state.beginRound(at: reading.now)
        while let step = state.next() {
            if case .plan = step { state.plan(at: reading.now, isPaused: isPaused) } else { steps.append(name(step)) }
            perform(step, at: reading)
        }
        return steps
    }

    /// Answers the oldest request.
    @discardableResult
    mutating func answer(_ answer: Answer, at seconds: Double = 0) -> DeliveryState.Settlement {
        state.finish(tokens.removeFirst(), with: answer, at: .seconds(seconds))
    }

    /// The flushes that are over.
    mutating func flushesOver(at seconds: Double, isWritten: Bool = true) -> [Flush] {
        guard state.decideFlushes(at: .seconds(seconds)) else { return [] }
        return state.takeFlushes(isWritten: isWritten, at: .seconds(seconds))
    }

    private mutating func perform(_ step: DeliveryState.Step, at reading: ClockReading) {
        switch step {
        case .plan: break
        case .record: state.recorded()
        case .takeLane: state.tookLane(!isTakenElsewhere)
        case .letGo(let looksOnceMore): state.letGo(isWritten, looksOnceMore: looksOnceMore)
        case .look, .count, .confirm:
            if let diskError { return state.failed(diskError, at: reading.now) }
            switch step {
            case .count: state.counted(peek.state, at: reading.now)
            case .confirm: state.confirmed(.unchanged, at: reading)
            default:
                var waiting = peek
                waiting.records.removeAll { state.underWay.contains($0.id) }
                state.found(waiting, at: reading)
            }
        case .glance: state.glanced(diskError == nil ? peek : nil, at: reading.now)
        case .countOnceMore: state.countedOnceMore(queuedMeanwhile)
        case .work(.send(let plan)):
            sent.append(plan)
            tokens.append(state.depart(plan))
        // A change is on disk at once here.
        case .work(.change(let changes)):
            for change in changes {
                if case .group(let group) = change { peek.groups.append(group) }
                state.committed()
            }
        case .work(.drop(let records, _, _)): peek.records.removeAll { records.contains($0) }
        case .report(let event): reported.append(event)
        case .conclude(.success): concluded.append(.success(nil))
        case .conclude(.failure(let error)): concluded.append(.failure(error.cause))
        }
    }

    private func name(_ step: DeliveryState.Step) -> String {
        switch step {
        case .plan: "plan"
        case .record: "record"
        case .takeLane: "takeLane"
        case .letGo(let looksOnceMore): "let go, look once more: \(looksOnceMore)"
        case .look(let window): "look at \(window.records)"
        case .count: "count"
        case .confirm: "confirm"
        case .glance: "glance"
        case .countOnceMore: "count once more"
        case .work(.send): "send"
        case .work(.change): "change"
        case .work(.drop): "drop"
        case .report(.idle): "idle"
        case .report(.deliversHere(let isHere)): isHere ? "here now" : "elsewhere now"
        case .report: "report"
        case .conclude: "initialize is done"
        }
    }
}

@Suite("A round: who delivers the lane, and when a flush is over, as values")
struct RoundTests {
    private static func record(_ number: Int64) -> Record { .sample(number, route: .endpoint) }

    @Test("takes the lane, sends what is there, and lets the lane go when it is empty")
    func handsOver() {
        var world = PlayedLane([Self.record(1)])
        #expect(world.round() == ["takeLane", "record", "look at 20", "change"])
        #expect(world.round() == ["confirm", "send"])
        #expect(world.state.possession == .held)
        #expect(world.round().isEmpty)

        world.answer(.status(200))
        world.peek = .sample([], state: .sample(queued: 0))

        #expect(
            world.round() == [
                "record", "look at 20", "idle", "record", "let go, look once more: true", "count once more",
            ])
        #expect(world.state.possession == .released && !world.state.isInterested)
        #expect(world.state.wakesAt == nil)
    }

    @Test("lets nobody have the lane before all is written, and does not look once more then")
    func keepsUntilWritten() {
        var world = PlayedLane([])
        world.isWritten = false
        #expect(world.round().last == "let go, look once more: true")
    }

    @Test("takes the lane again for what was queued while it let go, and no third time")
    func looksOnceMore() {
        var world = PlayedLane([])
        world.queuedMeanwhile = 1
        #expect(
            world.round() == [
                "takeLane", "record", "look at 20", "idle", "record", "let go, look once more: true",
                "count once more", "takeLane", "record", "look at 20", "record", "let go, look once more: false",
            ])
        #expect(world.state.possession == .released && world.state.isInterested)
    }

    @Test("tries a lane that another process has every 500 ms while there is something in it, and says who has it")
    func waitsForAnother() {
        var world = PlayedLane([])
        world.round()
        world.peek = .sample([Self.record(1)])
        world.isTakenElsewhere = true
        world.state.wake()

        #expect(world.round(at: 1) == ["takeLane", "elsewhere now", "glance"])
        #expect(world.state.possession == .elsewhere && world.state.rest.reason == .otherProcess)
        #expect(world.state.wakesAt == .seconds(1.5))
        #expect(world.round(at: 1.5) == ["takeLane", "glance"])

        world.isTakenElsewhere = false
        #expect(world.round(at: 2).prefix(2) == ["takeLane", "here now"])
    }

    @Test("sleeps where another process has a lane that is empty, or that nothing is asked of here")
    func sleeps() {
        var world = PlayedLane([])
        world.isTakenElsewhere = true
        #expect(world.round() == ["takeLane", "glance"])
        #expect(world.state.wakesAt == nil && !world.state.isInterested)
        world.peek = .sample([Self.record(1)])
        #expect(world.round() == ["takeLane"])
        #expect(world.state.wakesAt == nil)
    }

    @Test("leaves the lane to a process that can reach the server, while it waits for its next try")
    func leavesWhileWaiting() {
        var world = PlayedLane([Self.record(1)])
        world.round()
        world.round()
        world.answer(.status(503))
        #expect(world.round() == ["record", "let go, look once more: false"])
        #expect(world.state.rest.reason == .retryWait && world.state.wakesAt == .seconds(1) && world.state.round.isBusy)
        #expect(world.state.possession == .released)
    }

    @Test("leaves a disk that cannot be read alone for a second, and the lane to others")
    func sparesTheDisk() {
        var world = PlayedLane([Self.record(1)])
        world.diskError = StorageError(.failed, "the disk is broken")
        #expect(world.round() == ["takeLane", "record", "look at 20", "record", "let go, look once more: false"])
        #expect(world.state.possession == .released)
        #expect(world.state.rest.reason == .storage && world.state.wakesAt == .seconds(1))
    }

    @Test("sends nothing while everything is held back, nor once it is to end, which it does when all is answered")
    func holdsBack() {
        var world = PlayedLane([Self.record(1)])
        #expect(world.round(isPaused: true).isEmpty)
        world.round()
        world.round()
        world.state.close(by: .seconds(5))
        #expect(world.round().isEmpty)
        #expect(!world.state.ends(at: .seconds(4)) && world.state.ends(at: .seconds(5)))
        #expect(world.state.wakesAt == .seconds(5))
        world.answer(.status(200))
        #expect(world.round().isEmpty)
        #expect(world.state.ends(at: .seconds(4)))
    }

    // MARK: Halts

    /// A lane of five records, whose first request was refused at second 0.
    private static func halted(retry: Duration? = .seconds(300)) -> PlayedLane {
        var world = PlayedLane((1...5).map(record), haltRetry: retry, requests: 4)
        world.round()
        world.round()
        world.answer(.status(401))
        return world
    }

    @Test("a halt keeps the queue and lets the lane go; one request each five minutes finds the server well again")
    func triesAgain() {
        var world = Self.halted()
        #expect(world.round(at: 1) == ["record", "let go, look once more: false"])
        #expect(world.state.rest.reason == .halted && world.state.wakesAt == .seconds(300))
        #expect(world.state.halt?.since == Timestamp(milliseconds: 0))
        #expect(!world.round(at: 299).contains("send"))

        #expect(world.round(at: 300).last == "send")
        #expect(world.answer(.status(403), at: 301).events.isEmpty)
        world.round(at: 302)
        #expect(world.state.wakesAt == .seconds(601))
        #expect(world.state.halt?.since == Timestamp(milliseconds: 0))

        // Nothing more goes out beside the trial.
        #expect(world.round(at: 601).last == "send")
        world.round(at: 601)
        #expect(world.sent.count == 3)
        let settlement = world.answer(.status(200), at: 602)
        #expect(settlement.events.contains { if case .resumed = $0 { true } else { false } })
        #expect(settlement.delivered?.records.count == 5)
        #expect(!world.state.isHalted)
    }

    @Test("a trial that fails as in an outage waits as long, and one that is called off is made again")
    func failedTrial() {
        var world = Self.halted()
        world.round(at: 300)
        world.answer(.status(503), at: 300)
        world.round(at: 310)
        #expect(world.state.isHalted && world.state.wakesAt == .seconds(600))
        world.round(at: 600)
        world.answer(.failed(.cancelled), at: 600)
        #expect(world.round(at: 600).last == "send")
    }

    @Test("an answer to a request that went out before the halt does not end it")
    func earlierAnswers() {
        var world = PlayedLane((1...40).map(Self.record), haltRetry: .seconds(300), requests: 2)
        world.round()
        world.round()
        world.peek.records.removeFirst(20)
        world.round()
        world.round()
        #expect(world.sent.count == 2)
        world.answer(.status(401))
        let settlement = world.answer(.status(200), at: 1)
        #expect(settlement.delivered?.records.count == 20 && settlement.events.isEmpty)
        #expect(world.state.isHalted)
    }

    @Test("without a time for the next try only other credentials end a halt, and they end it at once")
    func untilInitialized() {
        var world = Self.halted(retry: nil)
        world.round(at: 1)
        #expect(world.state.wakesAt == nil && !world.round(at: 1e6).contains("send"))
        world.state.resume(with: world.state.dialect)
        #expect(world.round(at: 1e6).contains("send"))
    }

    // MARK: Flushes

    /// A lane with two records, and a flush that is about them.
    private static func flushing(_ records: Int64 = 2) -> PlayedLane {
        var world = PlayedLane((1...records).map(record))
        world.state.addFlush(1, by: .seconds(60))
        var lane = LaneState.sample(queued: Int(records))
        lane.lastSequence = records
        world.state.beginFlush(1, lane, queued: Int(records), accounted: 0)
        return world
    }

    @Test("a flush ends when all that it is about is delivered, and is reported once that is written")
    func completes() throws {
        var world = Self.flushing()
        world.round()
        world.round()
        #expect(world.flushesOver(at: 1).isEmpty)
        world.answer(.status(200))
        // A record that was queued since is not its business.
        world.peek.records = [Self.record(3)]
        world.round()
        world.round()

        #expect(world.flushesOver(at: 1, isWritten: false).isEmpty)
        let flush = try #require(world.flushesOver(at: 1).first)
        #expect(flush.end == .complete && world.state.flushes.isEmpty)
        #expect(
            flush.report(remaining: 0, accounted: 2, delivered: 2, isDisabled: false)
                == FlushReport(delivered: 2, remaining: 0))
    }

    @Test("a flush does not count what was queued after it and was delivered before its end")
    func countsItsOwn() throws {
        var world = Self.flushing()
        world.round()
        world.round()
        world.answer(.status(200))
        world.peek.records = [Self.record(3)]
        world.round()
        world.round()
        world.answer(.status(200))

        let flush = try #require(world.flushesOver(at: 1).first)
        #expect(world.state.delivered == 3 && flush.deliveredBeside == 1)
        // One of its two was refused, and so is no longer in the queue either.
        #expect(
            flush.report(remaining: 0, accounted: 2, delivered: 2, isDisabled: false)
                == FlushReport(delivered: 1, remaining: 0))
    }

    @Test("a flush ends with the reason why nothing is sent, once nothing is under way")
    func stops() throws {
        var world = Self.flushing()
        world.round()
        world.round()
        world.answer(.status(503))
        world.round()

        let flush = try #require(world.flushesOver(at: 0).first)
        #expect(flush.end == .stopped(.retryWait))
        #expect(flush.report(remaining: 2, accounted: nil, delivered: 0, isDisabled: false).stoppedBy == .retryWait)
    }

    @Test("a flush whose time is over says so, or that another process has the lane", arguments: [false, true])
    func isLate(isElsewhere: Bool) throws {
        var world = Self.flushing()
        world.isTakenElsewhere = isElsewhere
        world.round()
        #expect(world.flushesOver(at: 59).isEmpty)
        let flush = try #require(world.flushesOver(at: 60, isWritten: false).first)
        #expect(flush.end == .stopped(isElsewhere ? .otherProcess : .timeout))
    }

    @Test("in the background nothing is sent for a flush before it is known what it is about")
    func waitsForScope() {
        var world = PlayedLane([Self.record(1)])
        world.state.makeDue(through: 1)
        world.state.setInBackground(true)
        world.state.addFlush(1, by: .seconds(60))
        #expect(!world.round().contains("takeLane"))
        var lane = LaneState.sample(queued: 1)
        lane.lastSequence = 1
        world.state.beginFlush(1, lane, queued: 1, accounted: 0)
        #expect(world.round().contains("change") && world.round().contains("send"))
    }

    @Test("flushes end in the order of their calls, whichever came to the loop first")
    func keepsOrder() {
        var world = PlayedLane([])
        world.state.addFlush(2, by: .seconds(1))
        world.state.addFlush(1, by: .seconds(1))
        #expect(world.state.wakesAt == .seconds(1))
        #expect(world.flushesOver(at: 1).map(\.number) == [1, 2])
    }

    @Test("a flush that cannot begin ends with the disk's failure, and one of a refused client counts what was dropped")
    func reportsFailures() throws {
        var world = PlayedLane([])
        world.state.addFlush(1, by: .seconds(60))
        world.state.beginFlush(1, nil, queued: nil, accounted: nil)
        let flush = try #require(world.flushesOver(at: 0).first)
        #expect(
            flush.report(remaining: 3, accounted: nil, delivered: 0, isDisabled: false)
                == FlushReport(delivered: 0, remaining: 3, stoppedBy: .storage))

        var refused = Self.flushing()
        refused.state.updateFlush(1) { $0.end = .stopped(.halted) }
        let other = try #require(refused.flushesOver(at: 0).first)
        #expect(
            other.report(remaining: 0, accounted: 1, delivered: 1, isDisabled: true)
                == FlushReport(delivered: 1, remaining: 1, stoppedBy: .halted))
    }
}
