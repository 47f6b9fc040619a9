import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

/// Calls over the bridge, with answers as the native API gives them.
struct BridgedCalls: Sendable {
    let client: BridgeClient

    init(_ client: BridgeClient) { self.client = client }

    /// Calls what may fail.
    ///
    /// - Throws: The native error that the answer stands for.
    @discardableResult
    func attempt(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        do {
            return try await client.call(method, params)
        } catch let failure as BridgeFailure {
            throw TrackerError(failure)
        }
    }

    /// Calls what cannot fail.
    @discardableResult
    func ask(_ method: String, _ params: JSONValue? = nil) async -> JSONValue {
        do {
            return try await client.call(method, params)
        } catch {
            Issue.record("\(method) failed: \(error)")
            return .null
        }
    }

    /// Calls and waits for what became of it.
    func outcome(_ method: String, _ params: JSONObject, _ messageID: CallerKey?) async -> TrackOutcome {
        TrackOutcome(await ask(method, .object(params.with(messageID))), of: method)
    }

    /// Calls without waiting, in order.
    func receipt(_ method: String, _ params: JSONObject, _ messageID: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        let answer = client.start(method, .object(params.with(messageID)))
        Task {
            // An error is as good as no outcome: the receipt shows it as one that no call has.
            receipt.resolve(TrackOutcome((try? await answer.value) ?? .null, of: method))
        }
        return receipt
    }

    /// Ends the host.
    func end() async {
        await ask("host.shutdown")
        // An end in another way is seen by what follows.
        _ = try? await client.host.end()
    }
}

extension JSONObject {
    fileprivate func with(_ messageID: CallerKey?) -> JSONObject {
        var params = self
        params["messageId"] = (messageID?.messageID).map { .string($0.text) }
        return params
    }
}

extension JSONValue {
    /// The object, or `null`; so is what JSON cannot hold.
    static func of(_ properties: Properties?) -> JSONValue {
        // A message could not carry it either.
        (try? properties?.json()).map { JSONValue($0) } ?? .null
    }

    /// The characters, or `null`.
    static func of(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The duration in whole milliseconds, or `null`.
    static func of(_ duration: Duration?) -> JSONValue {
        duration.map { JSONValue(Int($0 / .milliseconds(1))) } ?? .null
    }
}

extension TrackOutcome {
    /// What a call comes to whose answer is empty.
    static func answered(_ key: CallerKey?) -> TrackOutcome {
        (key?.messageID ?? MessageID("answered")).map { .queued($0) } ?? .dropped(.storage)
    }

    /// Reads an answer.
    init(_ answer: JSONValue, of method: String) {
        let id = answer["messageId"]?.stringValue.flatMap { MessageID($0) }
        switch (answer["status"]?.stringValue, id) {
        case ("queued", let id?): self = .queued(id)
        case ("pending", let id?): self = .pending(id)
        default:
            let reason = answer["reason"]?.stringValue.flatMap(RefusalReason.init(rawValue:))
            if reason == nil { Issue.record("\(method) was answered with \(answer)") }
            self = .dropped(reason ?? .disabled)
        }
    }
}

extension FlushReport {
    /// Reads an answer.
    init(_ answer: JSONValue) {
        self.init(
            delivered: Int(answer["delivered"]?.intValue ?? -1), remaining: Int(answer["remaining"]?.intValue ?? -1),
            stoppedBy: answer["stoppedBy"]?.stringValue.flatMap(StopReason.init(rawValue:)))
    }
}

extension TrackerError {
    /// The native error that an answer stands for.
    init(_ failure: BridgeFailure) {
        let cause: Cause? =
            switch (failure.data["status"]?.intValue, failure.data["cause"]?.stringValue) {
            case (let status?, _): .status(Int(status))
            case (nil, "NETWORK_ERROR"): .network(failure.data["why"]?.stringValue ?? "")
            case (nil, "unreadable answer"): .unreadableAnswer
            case (nil, "timeout"): .timeout
            case (nil, "shutdown"): .shutdown
            default: nil
            }
        let code = Code(rawValue: failure.code)
        if code == nil { Issue.record("\(failure.code) is no code of the native API: \(failure.message)") }
        self.init(code ?? .initializationFailed, failure.message, cause: cause)
    }
}

extension DeliveryOptions {
    /// The options as they cross the bridge: every key.
    var json: JSONObject {
        [
            "storageDirectory": .of(storageDirectory), "persistence": .string(persistence.rawValue),
            "durability": .string(durability.rawValue), "maxQueuedEvents": JSONValue(maxQueuedEvents),
            "maxQueuedBytes": JSONValue(maxQueuedBytes), "maxEventBytes": JSONValue(maxEventBytes),
            "eventTTLMs": .of(eventTTL), "overflow": .of(overflow?.rawValue),
            "maxConcurrentRequests": JSONValue(maxConcurrentRequests),
            "requestTimeoutMs": .of(requestTimeout), "compression": .string(compression.rawValue),
            "compressionThreshold": JSONValue(compressionThreshold), "retryDelayMs": .of(retryDelay),
            "failureThreshold": JSONValue(failureThreshold), "cooldownMs": .of(cooldown),
            "maxCooldownMs": .of(maxCooldown), "jitter": JSONValue(jitter), "caBundle": .of(caBundle),
            "clientCertificate": .of(clientCertificate), "clientKey": .of(clientKey), "keyFile": .of(keyFile),
            "proxy": .of(proxy), "headers": .object(JSONObject(headers.map { ($0.key, .string($0.value)) })),
            "allowInsecureHTTP": .bool(allowInsecureHTTP),
            "collectorPanel": .bool(collectorPanel),
        ]
    }
}
