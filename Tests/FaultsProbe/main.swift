// A program with native clients, for Tests/Faults: it takes the bridge's calls, one JSON message a line, and makes them on
// the Swift API. It ends with its input, or after two minutes if the explorer has lost sight of it.

import Foundation
import TrackerCore
import TrackerJSON
import TrackerModels

alarm(120)
// Dispatch opens descriptors for the first thread of Swift's pool, and traps without: an application has that behind it.
await Task.detached {}.value
let (tracker, analytics, basic) = (MobileTracker(), AnalyticsClient(), BasicTracker())
while let line = nextLine() {
    let message = JSONValue(try JSONText(validating: Array(line.utf8)))
    let answer = await perform(message["method"]?.stringValue ?? "", message["params"] ?? [:])
    let whole: JSONValue = ["jsonrpc": "2.0", "id": message["id"] ?? .null, answer.member: answer.value]
    try FileHandle.standardOutput.write(contentsOf: Data("\(whole)\n".utf8))
}
await shutdown()

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

    static func report(_ report: FlushReport) -> Answer {
        Answer(value: ["delivered": .init(report.delivered), "remaining": .init(report.remaining)])
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
    let timeout = Duration.milliseconds(params["timeoutMs"]?.intValue ?? 0)
    switch method {
    case "init": return await initialize(params)
    case "analytics.initialize": return await initializeAnalytics(params["options"] ?? [:])
    case "basic.initialize": return initializeBasic(params)
    case "analytics.track":
        return .outcome(
            await analytics.track(text("event"), properties: facts("properties"), messageId: key).outcome)
    case "basic.track":
        return .outcome(
            await basic.track(event: text("event"), properties: facts("properties"), messageId: key).outcome)
    case "basic.identify":
        return .outcome(await basic.identify(userId: text("userId"), traits: facts("traits"), messageId: key).outcome)
    case "analytics.reset": return .change(await analytics.reset(messageId: key).outcome)
    case "analytics.flush": return .report(await analytics.flush(timeout: timeout))
    case "basic.flush": return .report(await basic.flush(timeout: timeout))
    case "analytics.getDebugInfo": return Answer(value: .init(await analytics.getDebugInfo()))
    case "basic.getDebugInfo": return Answer(value: .init(basic.debugInfo()))
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
    case "flush": return .report(await tracker.flush(timeout: timeout))
    case "networkDidChange":
        tracker.networkDidChange()
        analytics.networkDidChange()
        basic.networkDidChange()
    case "host.shutdown": await shutdown()
    default: return .failure("There is no \(method)")
    }
    return Answer()
}

func shutdown() async {
    await tracker.shutdown()
    await analytics.shutdown()
    await basic.shutdown()
}

func initialize(_ params: JSONValue) async -> Answer {
    let settings = params["config"] ?? [:]
    func text(_ name: String) -> String? { settings[name]?.stringValue }
    var config = TrackerConfig(
        apiUrl: text("apiUrl"), xApiKey: text("xApiKey"), initTimeout: duration("initTimeoutMs", in: settings),
        consent: text("consent").flatMap(Consent.init) ?? .granted)
    config.sessionCreation = text("sessionCreation") == "inBackground" ? .inBackground : .duringInit
    config.delivery = delivery(settings)
    do throws(TrackerError) {
        try await tracker.initialize(brandId: params["brandId"]?.stringValue ?? "", config: config)
        return Answer()
    } catch {
        return .failure(error.message)
    }
}

func initializeAnalytics(_ settings: JSONValue) async -> Answer {
    let options = InitOptions(
        writeKey: settings["writeKey"]?.stringValue ?? "", ingestionHost: settings["ingestionHost"]?.stringValue ?? "",
        requestTimeout: duration("requestTimeoutMs", in: settings), delivery: delivery(settings))
    await analytics.initializeAndWait(with: options)
    return await lifecycle(analytics.getDebugInfo())
}

func initializeBasic(_ params: JSONValue) -> Answer {
    do throws(TrackerError) {
        try basic.initialize(
            apiKey: params["apiKey"]?.stringValue, endpoint: params["endpoint"]?.stringValue,
            options: delivery(params["options"] ?? [:]))
        return Answer()
    } catch {
        return .failure(error.message)
    }
}

/// Whether a client is on that does not say why it is not.
func lifecycle(_ info: JSONObject) -> Answer {
    info["lifecycle"]?.stringValue == "disabled" ? .failure("It is disabled: \(JSONValue(info))") : Answer()
}

func delivery(_ settings: JSONValue) -> DeliveryOptions {
    var delivery = DeliveryOptions()
    delivery.storageDirectory = CommandLine.arguments.dropFirst(2).first
    delivery.proxy = settings["proxy"]?.stringValue
    delivery.allowInsecureHTTP = true
    delivery.jitter = 0
    delivery.compression = .none
    delivery.requestTimeout = duration("requestTimeoutMs", in: settings)
    delivery.retryDelay = duration("retryDelayMs", in: settings)
    delivery.cooldown = duration("cooldownMs", in: settings)
    delivery.maxCooldown = duration("maxCooldownMs", in: settings)
    return delivery
}

func duration(_ name: String, in settings: JSONValue) -> Duration { .milliseconds(settings[name]?.intValue ?? 1000) }
