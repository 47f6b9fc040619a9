import Foundation
import Synchronization
import TestSupport
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// One client and its server on a virtual clock, driven by a seed, and what a user of the client knows of each event.
final class AnswerModel {
    enum Client: String, CaseIterable {
        case session, analytics, basic
    }

    /// A thing that a program does, or that happens to its server.
    enum Step: String, CaseIterable {
        case track, identify, flush, answer, wait, waitLong, networkBack, mood, retryRefused, dropRefused, restart
        case reset, resetAll, deny, grant
    }

    /// A step, and the seed of what it leaves open: the same whatever comes before it.
    struct Move: CustomStringConvertible {
        var step: Step
        var seed: UInt64

        var description: String { step.rawValue }
    }

    private let folder: TemporaryDirectory
    private let client: ScriptedClient
    private let server: AnsweringServer
    private let fates: Fates
    private let clock = VirtualClock()
    private let parts = WorldParts()
    private var random: SeededGenerator
    private var calls = 0

    init(_ kind: Client, seed: UInt64) throws {
        let memory = "/dev/shm"
        folder =
            try FileManager.default.fileExists(atPath: memory) ? TemporaryDirectory(in: memory) : TemporaryDirectory()
        var random = SeededGenerator(seed: seed)
        let fates = Fates()
        let server = AnsweringServer(seed: random.next(), fates)
        var dependencies = Dependencies.system(log: RecordingLog())
        dependencies.clock = clock
        dependencies.jitter = SeededGenerator(seed: random.next())
        dependencies.makeLoop = { [parts] _ in
            let loop = SteppedLoop()
            loop.answer { server.answer($0) }
            parts.add(loop)
            return loop
        }
        dependencies.makeOutbox = { [parts] configuration in
            let outbox = RecordingOutbox(configuration, nil)
            parts.add(outbox)
            return outbox
        }
        let delivery = DeliveryOptions(
            storageDirectory: folder.path("state"), maxQueuedEvents: random.once(in: 3) ? 12 : 1000,
            eventTTL: random.once(in: 4) ? .seconds(900) : nil, maxConcurrentRequests: random.once(in: 4) ? 4 : 1,
            cooldown: .seconds(5), maxCooldown: .seconds(20),
            poisonAfter: random.once(in: 6) ? nil : .seconds(40))
        // A host of its own: lanes of one process tell each other which servers are well.
        let url = "https://s\(seed).example.com"
        let creation: TrackerConfig.SessionCreation = random.once(in: 2) ? .duringInit : .inBackground
        client = .make(kind, dependencies, url, creation, delivery)
        client.control.observe { if case .dropped(let ids, _, let reason) = $0 { fates.dropped(ids, reason) } }
        (self.fates, self.server, self.random) = (fates, server, random)
    }

    func start() async {
        client.start()
        await settle()
    }

    /// Does one thing.
    func perform(_ move: Move) async {
        var random = SeededGenerator(seed: move.seed)
        switch move.step {
        case .track: for _ in 0..<random.number(1...5) { track(random.pick(AnsweringServer.kinds)) }
        case .identify:
            let id = nextID()
            client.identify(id) { [fates] in fates.answered(id, $0) }
        case .flush: client.control.flush(timeout: .seconds(random.number(0...90))) { _ in }
        case .answer: await settle(atMost: random.number(1...12))
        case .wait: await wait(.seconds(random.number(1...60)))
        case .waitLong: for _ in 0..<random.number(5...40) { await waitForTimer() }
        case .networkBack: client.networkDidChange()
        case .mood: server.change(to: random.pick(AnsweringServer.Mood.allCases))
        case .retryRefused: await change(.retry, &random)
        case .dropRefused: await change(.drop, &random)
        case .restart:
            client.control.shutDown(within: .seconds(60)) {}
            await settle()
            compare()
        case .reset: await leave { client.reset(false) }
        case .resetAll: await leave { client.reset(true) }
        case .deny: await leave { client.setConsent(.denied) }
        case .grant: client.setConsent(.granted)
        }
        await startAgain()
    }

    private func nextID() -> MessageID {
        calls += 1
        return .of("m\(calls)")
    }

    private func track(_ kind: String) {
        let id = nextID()
        client.track("\(kind)\(calls)", id) { [fates] in fates.answered(id, $0) }
    }

    /// Does something with some of the refused events.
    private func change(_ action: RefusedAction, _ random: inout SeededGenerator) async {
        await settleWrites()
        let refused = refused
        guard !refused.isEmpty else { return }
        let chosen = Set(refused.filter { _ in random.once(in: 2) })
        let filter = RefusedFilter(messageIDs: chosen)
        // A filter without ids means all.
        let meant = chosen.isEmpty ? refused : Array(chosen)
        client.control.change(refused: filter, action) { [fates] result in
            guard case .success(let count) = result else { return fates.fault("\(action): \(result)") }
            switch action {
            case .drop:
                if count != meant.count { fates.fault("\(count) of \(meant) were removed") }
                fates.removed(meant)
            // A full queue takes as many as there is room for.
            case .retry: if count > meant.count { fates.fault("\(count) of \(meant) were queued again") }
            }
        }
        await settleWrites()
    }

    /// Leaves the user. What was refused may be erased with the user.
    private func leave(_ action: () -> Void) async {
        await settleWrites()
        fates.removed(refused)
        action()
    }

    private func startAgain() async {
        let lifecycle = client.control.debugInfo["lifecycle"]?.stringValue ?? ""
        if !["ready", "halted", "initializing", "resetting"].contains(lifecycle) { await start() }
    }

    // MARK: Time

    private func wait(_ duration: Duration) async {
        clock.advance(by: duration)
        parts.loop?.advance(by: duration)
        await settle()
    }

    /// Waits until something is due.
    private func waitForTimer() async {
        await settle()
        guard let loop = parts.loop, let due = loop.nextTimer else { return }
        await wait(max(.zero, loop.now.duration(to: due)))
    }

    /// Lets everything run that is due, up to so many steps.
    private func settle(atMost limit: Int = 20_000) async {
        var left = limit
        while left > 0 {
            let before = left
            while left > 0, parts.step() { left -= 1 }
            await settleWrites()
            if before == left { return }
        }
        if limit == 20_000 { fates.fault("it never comes to rest") }
    }

    private func settleWrites() async { await parts.outbox?.settle() }

    // MARK: The end

    /// Compares the account with itself.
    private func compare() {
        guard let account = try? parts.outbox?.account() else { return }
        if !account.isBalanced { fates.fault("not balanced: \(account)") }
    }

    /// Has everything delivered, and gives what is wrong.
    func finish() async -> [String] {
        await startAgain()
        client.setConsent(.granted)
        // First a server that is well, but for the events that are at fault.
        server.change(to: .well)
        for _ in 0..<30 where !isEmpty { await goOn() }
        compare()
        let retries = random.once(in: 2)
        server.heal()
        for _ in 0..<60 where !isEmpty { await goOn() }
        // A full queue takes as many as there is room for.
        for _ in 0..<20 where retries && !refused.isEmpty {
            client.control.change(refused: RefusedFilter(), .retry) { _ in }
            await settle()
            for _ in 0..<60 where !isEmpty { await goOn() }
        }
        compare()
        if !isEmpty { fates.fault("the queue holds \(client.control.debugInfo)") }
        if retries, !refused.isEmpty { fates.fault("refused by a server that is well: \(refused)") }
        fates.close(refused: refused)
        client.control.shutDown(within: .seconds(60)) {}
        await settle()
        await parts.bury()
        return fates.faults
    }

    private func goOn() async {
        await startAgain()
        client.control.flush(timeout: .seconds(1)) { _ in }
        await waitForTimer()
    }

    /// What the client says the server has refused.
    private var refused: [MessageID] {
        do {
            return try client.control.refused(matching: RefusedFilter()).map(\.messageID)
        } catch {
            fates.fault("\(error)")
            return []
        }
    }

    private var isEmpty: Bool { client.control.debugInfo["queueLength"] == 0 }
}

/// One of the three clients, as the scripts use it.
struct ScriptedClient {
    typealias Answered = @Sendable (CallAnswer) -> Void

    let control: any ClientControl
    let start: () -> Void
    let track: (String, MessageID, @escaping Answered) -> Void
    let identify: (MessageID, @escaping Answered) -> Void
    let networkDidChange: () -> Void
    /// Leaves the user; a client that does not know users does nothing.
    let reset: (_ all: Bool) -> Void
    let setConsent: (Consent) -> Void

    static func make(
        _ kind: AnswerModel.Client, _ dependencies: Dependencies, _ url: String,
        _ creation: TrackerConfig.SessionCreation, _ delivery: DeliveryOptions
    ) -> ScriptedClient {
        switch kind {
        case .session: session(MobileTracker(dependencies: dependencies), url, creation, delivery)
        case .analytics: analytics(AnalyticsClient(dependencies: dependencies), url, delivery)
        case .basic: basic(BasicTracker(dependencies: dependencies), url, delivery)
        }
    }

    private static func session(
        _ tracker: MobileTracker, _ url: String, _ creation: TrackerConfig.SessionCreation, _ delivery: DeliveryOptions
    ) -> ScriptedClient {
        let config = TrackerConfig(apiUrl: url, xApiKey: "key-1234", sessionCreation: creation, delivery: delivery)
        return ScriptedClient(
            control: tracker.control,
            start: { tracker.initialize(brandId: "925", config: config) { _ in } },
            track: { tracker.enqueue(.track($0), messageID: $1, caller: Caller($2)) },
            identify: { tracker.enqueue(.identify("user-\($0)", nil), messageID: $0, caller: Caller($1)) },
            networkDidChange: { tracker.networkDidChange() },
            reset: { tracker.reset(all: $0, messageID: nil) { _ in } },
            setConsent: { tracker.setConsent($0, messageID: nil) { _ in } })
    }

    private static func analytics(
        _ client: AnalyticsClient, _ url: String, _ delivery: DeliveryOptions
    ) -> ScriptedClient {
        let options = InitOptions(
            writeKey: "wk-test-1234", ingestionHost: url, flushAt: 3, maxBatchSize: 7, delivery: delivery)
        return ScriptedClient(
            control: client.control,
            start: { client.initialize(with: options) { _ in } },
            track: { client.enqueue(.track(event: $0, properties: nil), messageID: $1, caller: Caller($2)) },
            identify: {
                client.enqueue(.identify(userId: "user-\($0)", traits: nil), messageID: $0, caller: Caller($1))
            },
            networkDidChange: { client.networkDidChange() },
            reset: { _ in client.reset(messageID: nil) { _ in } },
            setConsent: { _ in })
    }

    private static func basic(_ tracker: BasicTracker, _ url: String, _ delivery: DeliveryOptions) -> ScriptedClient {
        let options = BasicOptions(maxQueueSize: nil, debug: nil, enabled: nil, delivery: delivery)
        return ScriptedClient(
            control: tracker.control,
            start: {
                tracker.initialize(apiKey: "key-1234", endpoint: url + "/events", appVersion: nil, options: options)
            },
            track: { tracker.enqueue(.track(event: $0, properties: nil), messageID: $1, caller: Caller($2)) },
            // Its identifications carry no name, by which the server knows events.
            identify: {
                tracker.enqueue(
                    .screen(name: "E\($0.text.dropFirst())", properties: nil), messageID: $0, caller: Caller($1))
            },
            networkDidChange: { tracker.networkDidChange() },
            reset: { _ in },
            setConsent: { _ in })
    }
}

/// Both clocks of a client, moved by a test.
final class VirtualClock: TrackerClock {
    private let passed = Mutex(Duration.zero)

    var uptime: Duration { passed.withLock { $0 } }
    var wall: Timestamp { Timestamp(milliseconds: 1_764_000_000_000).advanced(by: uptime) }

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}
