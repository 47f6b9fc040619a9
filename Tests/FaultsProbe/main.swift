// A program with a native tracker, for Tests/Faults: it takes the bridge's calls, one JSON message a line, and makes them
// on the Swift API. It ends with its input, or after two minutes if the explorer has lost sight of it.

import Foundation
import TrackerCore
import TrackerJSON
import TrackerModels

alarm(120)
// Dispatch opens descriptors for the first thread of Swift's pool, and traps without: an application has that behind it.
await Task.detached {}.value
let tracker = MobileTracker()
while let line = nextLine() {
    let message = JSONValue(try JSONText(validating: Array(line.utf8)))
    let answer = await perform(message["method"]?.stringValue ?? "", message["params"] ?? [:])
    let whole: JSONValue = ["jsonrpc": "2.0", "id": message["id"] ?? .null, answer.member: answer.value]
    try FileHandle.standardOutput.write(contentsOf: Data("\(whole)\n".utf8))
}
await tracker.shutdown()

/// A line of the input. With an old EINTR in `errno`, `readLine` takes the end of the input for an interruption, for ever.
func nextLine() -> String? {
    errno = 0
    return readLine()
}

struct Answer {
    var member = "result"
    var value: JSONValue = [:]

    static func failure(_ message: String) -> Answer { Answer(member: "error", value: ["message": .init(message)]) }

    /// What became of a tracking call.
    static func outcome(_ outcome: TrackOutcome) -> Answer {
        switch outcome {
        case .queued: Answer(value: ["status": "queued"])
        case .pending: Answer(value: ["status": "pending"])
        case .dropped(let reason): Answer(value: ["status": "dropped", "reason": .init(reason.rawValue)])
        }
    }

    /// What became of a reset or a decision.
    static func change(_ outcome: TrackOutcome) -> Answer {
        if case .dropped(let reason) = outcome { return failure(reason.rawValue) }
        return Answer()
    }
}

func perform(_ method: String, _ params: JSONValue) async -> Answer {
    let key = params["messageId"]?.stringValue.map { CallerKey($0) }
    func text(_ name: String) -> String { params[name]?.stringValue ?? "" }
    func facts(_ name: String) -> Properties { Properties(params[name]?.objectValue ?? [:]) }
    switch method {
    case "init": return await initialize(params)
    case "track":
        return .outcome(
            await tracker.track(eventName: text("eventName"), attributes: facts("attributes"), messageId: key))
    case "identify":
        return .outcome(
            await tracker.identify(userId: text("userId"), profileData: facts("profileData"), messageId: key))
    case "reset": return .change(await tracker.resetAndWait(all: params["all"]?.boolValue ?? false, messageId: key))
    case "setConsent":
        return .change(await tracker.setConsent(Consent(rawValue: text("consent")) ?? .pending, messageId: key))
    case "isTrackingAllowed": return Answer(value: ["allowed": .init(tracker.isTrackingAllowed)])
    case "getDebugInfo": return Answer(value: .init(tracker.debugInfo()))
    case "flush":
        let report = await tracker.flush(timeout: .milliseconds(params["timeoutMs"]?.intValue ?? 0))
        return Answer(value: ["delivered": .init(report.delivered), "remaining": .init(report.remaining)])
    case "networkDidChange": tracker.networkDidChange()
    case "host.shutdown": await tracker.shutdown()
    default: return .failure("There is no \(method)")
    }
    return Answer()
}

func initialize(_ params: JSONValue) async -> Answer {
    let settings = params["config"] ?? [:]
    func text(_ name: String) -> String? { settings[name]?.stringValue }
    func duration(_ name: String) -> Duration { .milliseconds(settings[name]?.intValue ?? 1000) }
    var config = TrackerConfig(
        apiUrl: text("apiUrl"), xApiKey: text("xApiKey"), initTimeout: duration("initTimeoutMs"),
        consent: text("consent").flatMap(Consent.init) ?? .granted)
    config.sessionCreation = text("sessionCreation") == "inBackground" ? .inBackground : .duringInit
    config.delivery.storageDirectory = CommandLine.arguments.dropFirst(2).first
    config.delivery.proxy = text("proxy")
    config.delivery.allowInsecureHTTP = true
    config.delivery.jitter = 0
    config.delivery.requestTimeout = duration("requestTimeoutMs")
    config.delivery.retryDelay = duration("retryDelayMs")
    config.delivery.cooldown = duration("cooldownMs")
    config.delivery.maxCooldown = duration("maxCooldownMs")
    do throws(TrackerError) {
        try await tracker.initialize(brandId: params["brandId"]?.stringValue ?? "", config: config)
        return Answer()
    } catch {
        return .failure(error.message)
    }
}
