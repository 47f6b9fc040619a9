import Foundation
import Synchronization
import TestSupport
import TrackerCore
import TrackerModels

/// What can be seen of a scenario from outside, with names in the place of what chance made.
struct ParityTrace: Equatable, CustomStringConvertible {
    let lines: [String]

    var description: String { lines.joined(separator: "\n") }

    /// Puts names in the place of identifiers, times, ports and folders, each by its first appearance.
    init(_ lines: [String], folder: String, host: String) {
        var names: [String: String] = [:]
        self.lines = lines.map { line in
            line.replacingOccurrences(of: folder, with: "FOLDER").replacingOccurrences(of: host, with: "HOST")
                .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) { match in
                    let known = names[String(match.0)] ?? "id-\(names.count + 1)"
                    names[String(match.0)] = known
                    return known
                }
                .replacing(/\d{13}-/, with: "MILLISECONDS-")
                // A duration's key in JSON is its native name with a suffix.
                .replacing(/'(\w+)Ms'/) { "'\($0.1)'" }
                .replacing(/after \d+ ms/, with: "after TIME")
                .replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME")
        }
    }
}

/// Plays a scenario to one tracker, and notes everything that can be seen.
final class ParityRun: Sendable {
    private let make: @Sendable () throws -> any TrackerSurface
    private let folder: TemporaryDirectory
    private let script = ScriptedAnswers()
    private let backend: Backend

    init(_ make: @escaping @Sendable () throws -> any TrackerSurface) throws {
        self.make = make
        folder = try TemporaryDirectory()
        backend = try Backend { [script] in script.next(to: $0) }
    }

    /// Plays the steps, one after the other.
    func play(_ steps: [ParityStep]) async throws -> ParityTrace {
        var tracker = try make()
        var results: [String] = []
        for step in steps {
            if case .restart = step {
                await tracker.shutdown(timeout: .seconds(60))
                tracker = try make()
            } else {
                results.append(try await play(step, on: tracker))
            }
        }
        await tracker.shutdown(timeout: .seconds(60))
        let host = "127.0.0.1:\(backend.server.port)"
        return ParityTrace(results + backend.server.requests.map(\.parityLine), folder: folder.path, host: host)
    }

    private func play(_ step: ParityStep, on tracker: any TrackerSurface) async throws -> String {
        switch step {
        case .answers(let answers):
            script.add(answers)
            return ""
        case .initialize(let brandId, let change):
            var config = TrackerConfig(
                apiUrl: backend.server.url, xApiKey: "key-12345678",
                delivery: DeliveryOptions(
                    storageDirectory: folder.path("state"), retryDelay: .milliseconds(10), failureThreshold: 100,
                    cooldown: .milliseconds(20), maxCooldown: .milliseconds(40)))
            change(&config)
            do {
                try await tracker.initialize(brandId: brandId, config: config)
                return "initialized"
            } catch let error as TrackerError {
                return "\(error) \(error.cause.map { "\($0)" } ?? "")"
            }
        case .track(let name, let attributes, let metadata, let id):
            let outcome = await tracker.track(
                eventName: name, attributes: attributes.map { Properties($0) },
                metadata: metadata.map { Properties($0) }, messageId: id.map { CallerKey($0) })
            return "\(outcome)"
        case .identify(let user, let data):
            return "\(await tracker.identify(userId: user, profileData: data.map { Properties($0) }, messageId: nil))"
        case .set(let data, let id):
            return "\(await tracker.set(profileData: Properties(data), messageId: id.map { CallerKey($0) }))"
        case .setMetadata(let data): return "\(await tracker.setMetadata(Properties(data), messageId: nil))"
        case .screen(let name, let data):
            return "\(await tracker.screen(name: name, properties: data.map { Properties($0) }, messageId: nil))"
        case .screenDidAppear(let name, let url, let data):
            return
                "\(await tracker.screenDidAppear(name: name, url: url, properties: data.map { Properties($0) }, messageId: nil))"
        case .location(let place): return "\(await tracker.updateLocation(place, messageId: nil))"
        case .email(let email): return "\(await tracker.updateSessionEmail(email, messageId: nil))"
        case .link(let session): return "\(await tracker.linkSession(session, messageId: nil))"
        case .continueSession(let url): return "\(await tracker.continueSession(from: url, messageId: nil))"
        case .crossDomainURL(let url): return await tracker.crossDomainURL(for: url)
        case .reset(let all):
            _ = await tracker.resetAndWait(all: all, messageId: nil)
            return "reset"
        case .consent(let consent, let id):
            _ = await tracker.setConsent(consent, messageId: id.map { CallerKey($0) })
            return "\(consent)"
        case .networkDidChange:
            await tracker.networkDidChange()
            return ""
        case .values, .debugInfo, .settle, .awaitSession, .restart: return try await look(step, at: tracker)
        }
    }

    private func look(_ step: ParityStep, at tracker: any TrackerSurface) async throws -> String {
        switch step {
        case .values:
            let values = await [tracker.sessionId, tracker.deviceId, tracker.sessionEmail, tracker.brandId]
            return "\(values.map { $0 ?? "-" }) \(await tracker.isTrackingAllowed)"
        case .debugInfo:
            let info = await tracker.debugInfo()
            return ["lifecycle", "consent", "queueLength", "account", "refused", "config"]
                .map { "\($0): \(info[$0] ?? .null)" }.joined(separator: " ")
        case .settle:
            return try await withGuard("settling") {
                while case let report = await tracker.flush(timeout: .seconds(60)), report.remaining > 0 {
                    let isFinal = [.halted, .noConsent, .notInitialized].contains(report.stoppedBy)
                    if isFinal { return "\(report.remaining) left: \(report.stoppedBy?.rawValue ?? "")" }
                    try Task.checkCancellation()
                }
                return "settled"
            }
        case .awaitSession:
            // A breaker that is open waits for 12 s at most.
            return try await withGuard(seconds: 40, "a session") {
                while await tracker.sessionId == nil {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                return "session"
            }
        default: return ""
        }
    }
}

/// The answers that a scenario has prepared.
private final class ScriptedAnswers: Sendable {
    private let answers = Mutex<[ParityAnswer]>([])

    func add(_ more: [ParityAnswer]) { answers.withLock { $0 += more } }

    func next(to request: LoopbackRequest) -> LoopbackAnswer? {
        guard request.path != "/v2/tracking-session" else { return nil }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return switch answer {
        case nil: nil
        case .status(let status)?: .status(status)
        case .session(let id)?: .status(200, body: #"{"data":{"id":"\#(id)"}}"#)
        }
    }
}

extension LoopbackRequest {
    /// What of a request must be the same.
    var parityLine: String {
        let names = [
            "Content-Type", "Content-Encoding", "X-API-Key", "User-Agent", "Idempotency-Key", "X-Sequence",
            "X-Occurred-At",
        ]
        return "\(method) \(target) \(names.map { "\($0): \(header($0) ?? "-")" }) \(text)"
    }
}
