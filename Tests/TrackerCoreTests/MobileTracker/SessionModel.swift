import Foundation
import Synchronization
import TestSupport
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// One folder, one faulty server and one tracker after the other, all driven by a seed, step by step.
final class SessionModel {
    /// A thing that a program, its user or its system does.
    enum Step: String, CaseIterable {
        case track, identify, set, setMetadata, email, link, goOn, reset, resetAll, deny, grant, suspend, flush
        case answer, wait, networkBack, kill, killSoon, restart, look
    }

    /// A step, and the seed of what it leaves open: the same whatever comes before it.
    struct Move: CustomStringConvertible {
        var step: Step
        var seed: UInt64

        var description: String { step.rawValue }
    }

    /// A text that must never be logged above debug level.
    static let secret = "s3ntinel"

    let ledger = SessionLedger()
    let log = RecordingLog()
    private let folder: TemporaryDirectory
    private var random: SeededGenerator
    private let creation: TrackerConfig.SessionCreation
    private let server: FaultyServer
    /// How many calls have been made that must be answered, and how many were.
    private let promises = Promises()
    /// The present and former engines, released separately: a flush or a shutdown that a kill interrupts keeps its engine
    /// alive.
    private var engines: [DeliveryEngine] = []
    private var tracker: MobileTracker
    private let parts = WorldParts()
    private var calls = 0

    init(seed: UInt64) throws {
        // In memory where there is such a folder: thousands of databases are made.
        let memory = "/dev/shm"
        folder =
            try FileManager.default.fileExists(atPath: memory) ? TemporaryDirectory(in: memory) : TemporaryDirectory()
        random = SeededGenerator(seed: seed)
        creation = random.once(in: 2) ? .duringInit : .inBackground
        server = FaultyServer(seed: random.next(), ledger)
        tracker = Self.makeTracker(parts, ledger, log, server, random.next())
    }

    private static func makeTracker(
        _ parts: WorldParts, _ ledger: SessionLedger, _ log: RecordingLog, _ server: FaultyServer, _ seed: UInt64
    ) -> MobileTracker {
        var dependencies = Dependencies.system(log: log)
        dependencies.jitter = SeededGenerator(seed: seed)
        dependencies.makeLoop = { _ in
            let loop = SteppedLoop()
            loop.answer { server.answer($0) }
            parts.add(loop)
            return loop
        }
        dependencies.makeOutbox = { configuration in
            let outbox = RecordingOutbox(configuration, ledger)
            parts.add(outbox)
            return outbox
        }
        return MobileTracker(dependencies: dependencies)
    }

    /// Starts the tracker.
    func start() async {
        let config = TrackerConfig(
            debug: true, apiUrl: "https://api.example.com", xApiKey: "key-\(Self.secret)-1234", crossSiteCookie: true,
            sessionCreation: creation, delivery: DeliveryOptions(storageDirectory: folder.path("state")))
        tracker.initialize(brandId: "925", config: config, completion: promises.make())
        await settle()
    }

    /// Does one thing.
    func perform(_ move: Move) async {
        var random = SeededGenerator(seed: move.seed)
        calls += 1
        let secret = Self.secret
        let properties = Properties.of(#"{"name":"\#(secret)","n":\#(calls)}"#)
        switch move.step {
        case .track: accept(.track("E", properties))
        case .identify: accept(.identify("\(secret)-\(calls % 3)", properties))
        case .set: accept(.set(properties))
        case .setMetadata: accept(.setMetadata(properties))
        case .email: accept(.updateSessionEmail("\(secret)\(calls)@b.example"))
        case .link: accept(.linkSession("other-\(secret)"))
        case .goOn:
            let url = "https://a.example/?gt_session_id=X\(random.number(1...3))"
            tracker.enqueue(
                .continueSession(from: url), messageID: MessageID("m\(calls)"), caller: Caller(promises.make()))
        case .reset: tracker.reset(all: false, messageID: nil, completion: promises.make())
        case .resetAll: tracker.reset(all: true, messageID: nil, completion: promises.make())
        case .deny: tracker.setConsent(.denied, messageID: nil, completion: promises.make())
        case .grant: tracker.setConsent(.granted, messageID: nil, completion: promises.make())
        case .suspend: tracker.setConsent(.pending, messageID: nil, completion: promises.make())
        case .flush: tracker.control.flush(timeout: .seconds(random.number(0...90)), completion: promises.make())
        case .answer: await settle(atMost: random.number(1...12))
        case .wait: parts.loop?.advance(by: .seconds(random.number(1...60)))
        case .networkBack: tracker.networkDidChange()
        case .kill: await kill()
        case .killSoon: parts.outbox?.die(after: random.number(0...6))
        case .look: await compare()
        case .restart:
            if let engine = tracker.lane?.engine { engines.append(engine) }
            tracker.control.shutDown(within: .seconds(60)) {}
            await settle()
            if parts.outbox?.isDead != true { await start() }
        }
        if parts.outbox?.isDead == true { await kill() }
        await startAgain()
    }

    private func accept(_ call: TrackerCall) {
        tracker.enqueue(call, messageID: MessageID("m\(calls)"), caller: Caller(promises.make()))
    }

    /// Compares what the tracker shows with what it must show.
    private func compare() async {
        await parts.outbox?.settle()
        guard parts.outbox?.isDead != true, tracker.info("lifecycle") == "ready",
            let account = try? parts.outbox?.account()
        else { return }
        ledger.compare(account, session: tracker.sessionId, email: tracker.sessionEmail)
    }

    /// Starts the tracker where only that helps.
    private func startAgain() async {
        if tracker.info("lifecycle") != "ready" { await start() }
    }

    /// Ends all faults, has everything delivered, and compares.
    func finish() async {
        server.heal()
        parts.outbox?.die(after: nil)
        await settle()
        if parts.outbox?.isDead == true { await kill() }
        await startAgain()
        tracker.setConsent(.granted, messageID: nil) { _ in }
        for _ in 0..<8 {
            await settle()
            await startAgain()
            tracker.networkDidChange()
        }
        // Past the time of every flush.
        parts.loop?.advance(by: .seconds(120))
        await settle()
        if tracker.info("queueLength") != 0 { ledger.fault("the queue holds \(tracker.debugInfo())") }
        await compare()
        ledger.close()
        if promises.open != 0 { ledger.fault("\(promises.open) calls were never answered") }
        for line in log.lines.all where !line.hasPrefix("debug") && line.contains(Self.secret) {
            ledger.fault("logged: \(line)")
        }
        await end()
    }

    /// Ends everything as a kill does.
    private func end() async {
        parts.outbox?.die()
        await parts.bury()
        if let engine = tracker.lane?.engine { engines.append(engine) }
        for engine in engines { engine.onLoop { ($0.reports, $0.closing, $0.firstSession) = ([:], nil, nil) } }
        engines = []
    }

    /// Ends the tracker as a kill does, and starts another on the same folder.
    private func kill() async {
        await end()
        promises.forget()
        tracker = Self.makeTracker(parts, ledger, log, server, random.next())
        await start()
    }

    /// Lets everything run that is due, up to so many steps.
    private func settle(atMost limit: Int = 20_000) async {
        var left = limit
        while left > 0 {
            let before = left
            while left > 0, parts.outbox?.isDead != true, parts.step() { left -= 1 }
            await parts.outbox?.settle()
            if before == left { return }
        }
        if limit == 20_000 { ledger.fault("it never comes to rest") }
    }
}

/// Calls that must be answered, unless the program is killed first.
private final class Promises: Sendable {
    private let state = Mutex<Set<Int>>([])
    private let made = Atomic(0)

    /// How many have not been answered.
    var open: Int { state.withLock { $0.count } }

    /// Notes a call, and gives what its answer goes to.
    func make<Answer>() -> @Sendable (Answer) -> Void {
        let number = made.wrappingAdd(1, ordering: .relaxed).newValue
        state.withLock { _ = $0.insert(number) }
        return { [self] _ in state.withLock { _ = $0.remove(number) } }
    }

    /// The program was killed, and its callers with it.
    func forget() { state.withLock { $0 = [] } }
}

/// The loops and outboxes of the trackers of a world; the last of each is in use.
final class WorldParts: Sendable {
    private struct State {
        var loops: [SteppedLoop] = []
        var outboxes: [RecordingOutbox] = []
    }

    private let state = Mutex(State())

    var loop: SteppedLoop? { state.withLock { $0.loops.last } }
    var outbox: RecordingOutbox? { state.withLock { $0.outboxes.last } }

    func add(_ loop: SteppedLoop) { state.withLock { $0.loops.append(loop) } }
    func add(_ outbox: RecordingOutbox) { state.withLock { $0.outboxes.append(outbox) } }

    /// Does one thing that is due on any loop.
    func step() -> Bool { state.withLock { $0.loops }.contains { $0.step() } }

    /// Ends all there are.
    func bury() async {
        let (loops, outboxes) = state.withLock { state in
            defer { state = State() }
            return (state.loops, state.outboxes)
        }
        for loop in loops { loop.kill() }
        for outbox in outboxes { await outbox.bury() }
    }
}

/// A session backend that fails by a seed, and tells a ledger what it reads and takes.
final class FaultyServer: Sendable {
    private struct State {
        var random: SeededGenerator
        var isHealed = false
        var sessions = 0
    }

    private let ledger: SessionLedger
    private let state: Mutex<State>

    init(seed: UInt64, _ ledger: SessionLedger) {
        self.ledger = ledger
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// Takes everything from now on.
    func heal() { state.withLock { $0.isHealed = true } }

    /// What becomes of a request.
    func answer(_ request: HTTPRequest) -> Result<HTTPResponse, TransportError>? {
        let key = request.headers["Idempotency-Key"] ?? ""
        ledger.read(key, session: session(in: request))
        let (dice, number) = state.withLock { state in
            state.sessions += 1
            return (state.isHealed ? 99 : state.random.number(0...99), state.sessions)
        }
        let isCreation = request.url.hasSuffix("/v2/tracking-session")
        switch dice {
        case 0..<4: return .status(503)
        case 4: return .status(503, headers: ["Retry-After": "7"])
        case 5: return .status(408)
        case 6..<8: return .status(429)
        case 8..<10: return .status(302)
        case 10..<12: return .failed(.connect)
        case 12: return .failed(.timeout)
        case 13..<16:
            // Taken, but the answer is lost on its way.
            ledger.took(key)
            return .failed(.receiveFailed)
        case 16..<19 where !isCreation:
            ledger.refused(key, isGone: false)
            return .status([400, 413, 422][dice - 16])
        case 19..<22 where !isCreation:
            // To an email or a link it may be about that alone.
            let isOfSession = !request.url.hasSuffix("/email_v2") && !request.url.hasSuffix("/link-session")
            ledger.refused(key, isGone: isOfSession)
            return .status(dice == 19 ? 410 : 404)
        case 16..<18: return .status(200)
        case 18: return .status(400)
        case 22: return .status(401)
        default:
            ledger.took(key)
            let isNamed = request.url.hasSuffix("/link-session") || request.url.contains("/identify/")
            let changes = isCreation || (dice < 60 && (isNamed || request.url.hasSuffix("/email_v2")))
            return .status(200, body: changes ? #"{"data":{"id":"S\#(number)"}}"# : "{}")
        }
    }

    private func session(in request: HTTPRequest) -> String? {
        let body = (request.body.flatMap { try? JSONText(validating: $0) }).map { JSONValue($0) }
        if let session = (body?["session_id"] ?? body?["current_session_id"])?.stringValue { return session }
        guard let path = request.url.firstRange(of: "/v2/tracking-session/") else { return nil }
        return String(request.url[path.upperBound...].prefix { $0 != "/" })
    }
}
