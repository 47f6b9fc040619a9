import Foundation
import Synchronization
import TestSupport
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// One folder, one faulty server and one tracker after the other, all driven by a seed, step by step.
final class SessionWorld {
    /// A thing that a program, its user or its system does.
    enum Step: String, CaseIterable {
        case track, identify, set, setMetadata, email, link, reset, resetAll, deny, grant, suspend
        case answer, wait, networkBack, kill, killSoon, restart
    }

    /// A text that must never be logged above debug level.
    static let secret = "s3ntinel"

    let ledger = SessionLedger()
    let log = RecordingLog()
    private let folder: TemporaryDirectory
    private var random: SeededGenerator
    private let server: FaultyServer
    private var tracker: MobileTracker
    private let parts = WorldParts()
    private var calls = 0

    init(seed: UInt64) throws {
        // In memory where there is such a folder: thousands of databases are made.
        let memory = "/dev/shm"
        folder =
            try FileManager.default.fileExists(atPath: memory) ? TemporaryDirectory(in: memory) : TemporaryDirectory()
        random = SeededGenerator(seed: seed)
        server = FaultyServer(seed: random.next(), ledger)
        tracker = Self.makeTracker(parts, ledger, log, server, random.next())
    }

    private static func makeTracker(
        _ parts: WorldParts, _ ledger: SessionLedger, _ log: RecordingLog, _ server: FaultyServer, _ seed: UInt64
    ) -> MobileTracker {
        var surroundings = Surroundings.system(log: log)
        surroundings.jitter = SeededGenerator(seed: seed)
        surroundings.makeLoop = { _ in
            let loop = SteppedLoop()
            loop.answer { server.answer($0) }
            parts.add(loop)
            return loop
        }
        surroundings.makeOutbox = { configuration in
            let outbox = WatchedOutbox(configuration, ledger)
            parts.add(outbox)
            return outbox
        }
        return MobileTracker(surroundings: surroundings)
    }

    /// Starts the tracker.
    func start() async {
        let config = TrackerConfig(
            debug: true, apiUrl: "https://api.example.com", xApiKey: "key-\(Self.secret)-1234",
            sessionCreation: .inBackground, delivery: DeliveryOptions(storageDirectory: folder.path("state")))
        tracker.accept(initialize: "925", config: config) { _ in }
        await settle()
    }

    /// Does one thing.
    func perform(_ step: Step) async {
        calls += 1
        let (secret, id) = (Self.secret, MessageID("m\(calls)"))
        let object = JSONText.of(#"{"name":"\#(secret)","n":\#(calls)}"#)
        switch step {
        case .track: tracker.accept(.track(eventName: "E", attributes: object, metadata: nil), messageID: id)
        case .identify: tracker.accept(.identify(userId: "\(secret)-\(calls % 3)", profile: object), messageID: id)
        case .set: tracker.accept(.set(profile: object), messageID: id)
        case .setMetadata: tracker.accept(.setMetadata(object), messageID: id)
        case .email: tracker.accept(.updateSessionEmail("\(secret)@b.example"), messageID: id)
        case .link: tracker.accept(.linkSession("other-\(secret)"), messageID: id)
        case .reset: tracker.accept(resetAll: false, messageID: nil) { _ in }
        case .resetAll: tracker.accept(resetAll: true, messageID: nil) { _ in }
        case .deny: tracker.accept(consent: .denied, messageID: nil) { _ in }
        case .grant: tracker.accept(consent: .granted, messageID: nil) { _ in }
        case .suspend: tracker.accept(consent: .pending, messageID: nil) { _ in }
        case .answer: await settle(atMost: random.number(1...12))
        case .wait: parts.loop?.advance(by: .seconds(random.number(1...60)))
        case .networkBack: tracker.networkDidChange()
        case .kill: await kill()
        case .killSoon: parts.outbox?.die(after: random.number(0...6))
        case .restart:
            tracker.accept(shutdown: .seconds(60)) {}
            await settle()
            if parts.outbox?.isDead != true { await start() }
        }
        if parts.outbox?.isDead == true { await kill() }
        await startAgain()
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
        tracker.accept(consent: .granted, messageID: nil) { _ in }
        for _ in 0..<8 {
            await settle()
            await startAgain()
            tracker.networkDidChange()
        }
        await settle()
        if tracker.info("queueLength") != 0 { ledger.fault("the queue holds \(tracker.debugInfo())") }
        ledger.close()
        for line in log.lines.all where !line.hasPrefix("debug") && line.contains(Self.secret) {
            ledger.fault("logged: \(line)")
        }
        parts.outbox?.die()
        await parts.bury()
    }

    /// Ends the tracker as a kill does, and starts another on the same folder.
    private func kill() async {
        parts.outbox?.die()
        await parts.bury()
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

/// The loops and outboxes of the trackers of a world; the last of each is in use.
final class WorldParts: Sendable {
    private struct State {
        var loops: [SteppedLoop] = []
        var outboxes: [WatchedOutbox] = []
    }

    private let state = Mutex(State())

    var loop: SteppedLoop? { state.withLock { $0.loops.last } }
    var outbox: WatchedOutbox? { state.withLock { $0.outboxes.last } }

    func add(_ loop: SteppedLoop) { state.withLock { $0.loops.append(loop) } }
    func add(_ outbox: WatchedOutbox) { state.withLock { $0.outboxes.append(outbox) } }

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
        case 0..<6: return .status(503)
        case 6..<9: return .status(429)
        case 9..<13: return .failed(.connect)
        case 13..<17:
            // Taken, but the answer is lost on its way.
            ledger.took(key)
            return .failed(.receiveFailed)
        case 17..<20:
            if !isCreation { ledger.refused(key, isGone: false) }
            return .status(isCreation ? 500 : 422)
        case 20..<22:
            if !isCreation { ledger.refused(key, isGone: true) }
            return .status(isCreation ? 500 : 404)
        case 22: return .status(401)
        default:
            ledger.took(key)
            let changes = isCreation || (dice < 60 && request.url.contains("link-session"))
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
