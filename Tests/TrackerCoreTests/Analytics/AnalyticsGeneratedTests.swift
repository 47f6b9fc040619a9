import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("An analytics client over generated scripts")
struct AnalyticsGeneratedTests {
    @Test(
        "of calls, faults, bad events, resets and restarts: what was accepted arrives in order, from its own user",
        arguments: Seeds.cases(40, of: "AnalyticsGeneratedTests"))
    func scripts(seed: UInt64) async throws {
        var script = try AnalyticsScript(seed: seed)

        for _ in 0..<40 { await script.step() }
        await script.finish()

        let story = script.story
        #expect(story.unknown == [])
        #expect(story.lost == [])
        #expect(story.outOfOrder == [])
        #expect(story.strangers == [])
        #expect(story.sharedIdentities == [])
        #expect(script.imbalances == [])
    }
}

/// Runs a script by chance, and keeps account of what was said.
private struct AnalyticsScript {
    /// One event, as its caller knows it.
    struct Said {
        let name: String
        let userId: String?
        /// How many resets came before it.
        let generation: Int
    }

    private var fixture: AnalyticsFixture
    private let server: FaultyBatchServer
    private var random: SeededGenerator
    private var said: [Said] = []
    private var userId: String?
    private var generation = 0
    private var last: CallReceipt?
    /// Books that did not balance, or dropped what they should not have.
    private(set) var imbalances: [String] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let server = FaultyBatchServer(seed: ~seed)
        self.server = server
        fixture = try AnalyticsFixture { server.answer($0) }
    }

    var story: AnalyticsStory { AnalyticsStory(said: said, taken: server.taken, generation: generation) }

    mutating func step() async {
        if said.isEmpty { await start() }
        switch random.number(0...19) {
        case 0...11:
            for _ in 0..<random.number(1...6) { track() }
        case 12, 13:
            userId = "user-\(random.number(1...5))"
            fixture.client.identify(userId ?? "")
            expect("identify")
        case 14: fixture.client.flush()
        case 15: _ = await fixture.client.flush(timeout: .milliseconds(random.number(0...20)))
        case 16: fixture.client.networkDidChange()
        case 17: await reset()
        default: await restart()
        }
    }

    mutating func finish() async {
        server.behave()
        await settle()
        await check()
        await fixture.client.shutdown()
    }

    private func start() async {
        await fixture.start(
            fixture.options(flushAt: 3, maxBatchSize: 7) {
                $0.failureThreshold = 2
                $0.jitter = 0
            })
    }

    private mutating func track() {
        let name = random.once(in: 12) ? "BAD" : "E"
        last = fixture.client.track("\(name)\(said.count)")
        said.append(Said(name: "\(name)\(said.count)", userId: userId, generation: generation))
    }

    private mutating func expect(_ type: String) {
        said.append(Said(name: type, userId: userId, generation: generation))
    }

    private mutating func reset() async {
        await fixture.client.resetAndWait()
        userId = nil
        generation += 1
        await start()
    }

    private mutating func restart() async {
        // What is on disk outlives the run; that it is on disk is known by its outcome.
        _ = await last?.outcome
        _ = await fixture.client.track("E\(said.count)").outcome
        said.append(Said(name: "E\(said.count)", userId: userId, generation: generation))
        await check()
        await fixture.client.shutdown(timeout: .milliseconds(random.number(0...5)))
        fixture = fixture.restarted()
        await start()
    }

    private func settle() async {
        while await fixture.client.flush(timeout: .seconds(60)).remaining > 0 { fixture.client.networkDidChange() }
    }

    private mutating func check() async {
        let account = await fixture.client.getDebugInfo()["account"]
        if !fixture.client.isBalanced { imbalances.append("\(account ?? .null)") }
        let reasons = account?["dropped"]?.objectValue?.keys ?? []
        if !reasons.allSatisfy({ $0.hasPrefix("rejected(4") || $0 == "reset" }) { imbalances.append("\(reasons)") }
    }
}

/// What was said against what was taken.
private struct AnalyticsStory {
    let said: [AnalyticsScript.Said]
    /// The events that were answered with a 2xx, in their order, repeats included.
    let taken: [JSONValue]
    /// How many resets there were.
    let generation: Int

    /// How an event is known: identifications by their place.
    private var places: [Int] { firsts.compactMap(place) }

    /// Each event where it was taken first.
    private var firsts: [JSONValue] {
        var seen: Set<String> = []
        return taken.filter { seen.insert($0["messageId"]?.stringValue ?? "").inserted }
    }

    private func place(of event: JSONValue) -> Int? {
        guard let name = event["event"]?.stringValue else { return nil }
        return Int(name.drop { !$0.isNumber })
    }

    /// Events that were never made.
    var unknown: [String] {
        firsts.filter { event in
            guard event["type"] == "track" else { return event["type"] != "identify" }
            guard let place = place(of: event), said.indices.contains(place) else { return true }
            return said[place].name != event["event"]?.stringValue || said[place].name.hasPrefix("BAD")
        }.map { "\($0)" }
    }

    /// Good events that never came, though no reset came after them, or though a later one of their generation did.
    var lost: [String] {
        let came = Set(places)
        return (0...generation).flatMap { number -> [String] in
            let own = said.indices.filter { said[$0].generation == number && said[$0].name.hasPrefix("E") }
            let end = number == generation ? own.count : (own.lastIndex(where: came.contains) ?? -1) + 1
            return own.prefix(end).filter { !came.contains($0) }.map { said[$0].name }
        }
    }

    /// Events that came after a later one.
    var outOfOrder: [Int] {
        zip(places, places.dropFirst()).filter { $0 >= $1 }.map(\.1)
    }

    /// Events in the name of another user than the one at their call.
    var strangers: [String] {
        firsts.filter { event in
            guard let place = place(of: event), said.indices.contains(place) else { return false }
            return event["userId"]?.stringValue != said[place].userId
        }.map { "\($0)" }
    }

    /// Anonymous ids that events of several generations carry, or generations with several.
    var sharedIdentities: [String] {
        var owners: [String: Set<Int>] = [:]
        for event in firsts {
            guard let place = place(of: event), said.indices.contains(place) else { continue }
            owners[event["anonymousId"]?.stringValue ?? "", default: []].insert(said[place].generation)
        }
        let split = Dictionary(grouping: owners.flatMap { id, numbers in numbers.map { ($0, id) } }, by: \.0)
        return owners.filter { $0.value.count > 1 }.map(\.key) + split.filter { $0.value.count > 1 }.map { "\($0.key)" }
    }
}

/// A server that fails by chance, and never takes a batch with a bad event.
private final class FaultyBatchServer: Sendable {
    private struct State {
        var random: SeededGenerator
        var isFaulty = true
        var taken: [JSONValue] = []
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    var taken: [JSONValue] { state.withLock { $0.taken } }

    /// Ends the faults; bad events stay bad.
    func behave() { state.withLock { $0.isFaulty = false } }

    func answer(_ request: LoopbackRequest) -> LoopbackAnswer {
        let events = request.events
        return state.withLock { state in
            if state.isFaulty, let fault = Self.fault(events.count, &state.random) { return fault }
            if events.contains(where: { $0["event"]?.stringValue?.hasPrefix("BAD") == true }) {
                return .status(state.random.pick([400, 422, 409, 451]))
            }
            state.taken += events
            // Taken, but the client does not get to know it.
            if state.isFaulty, state.random.once(in: 15) { return .nothing(then: state.random.pick([.close, .reset])) }
            // Its status is known, though its body breaks off.
            if state.isFaulty, state.random.once(in: 15) { return .lying(announced: 100, sent: 10) }
            return .status(200)
        }
    }

    private static func fault(_ count: Int, _ random: inout SeededGenerator) -> LoopbackAnswer? {
        switch random.number(0...29) {
        case 0, 1: .status(500)
        case 2: .status(503, retryAfter: "0")
        case 3: .status(408)
        case 4: .nothing(then: .close)
        case 5: .nothing(then: .reset)
        case 6: .text("HTTP/1.1 200 OK\r\nContent-Le", then: .close)
        case 7, 8: count > 1 ? .status(413) : nil
        case 9: .text("HTTP/1.1 20", then: .reset)
        default: nil
        }
    }
}
