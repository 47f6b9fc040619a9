import TestSupport
import TrackerModels

@testable import TrackerCore

/// Everything that an analytics client can be asked for: the native interface, and what begins and ends it.
protocol AnalyticsSurface: AnalyticsInterface {
    /// Initialises, and throws why it cannot.
    func begin(_ options: InitOptions) async throws
    func resetAndWait() async
    func applicationDidBecomeActive()
    func applicationDidEnterBackground()
    func shutdown(timeout: Duration) async
}

extension AnalyticsClient: AnalyticsSurface {
    func begin(_ options: InitOptions) async throws {
        try await withCheckedContinuation { continuation in
            initialize(with: options) { continuation.resume(returning: $0) }
        }.get()
    }
}

/// The analytics client as a client of the host sees it.
final class BridgedAnalytics: AnalyticsSurface {
    private let bridge: BridgedCalls

    init() throws {
        bridge = BridgedCalls(try BridgeClient())
    }

    func begin(_ options: InitOptions) async throws {
        try await bridge.attempt("analytics.initialize", [.object(options.json)])
    }

    @discardableResult
    func enqueue(_ call: AnalyticsCall, options: CallOptions?, messageId: CallerKey?) -> CallReceipt {
        func send(_ name: String, _ params: JSONObject) -> CallReceipt {
            var params = params
            if let options { params["options"] = options.json }
            if let scope = AnalyticsScope.current { params["scope"] = [scope.json] }
            return bridge.receipt("analytics.\(name)", params, messageId)
        }

        return switch call {
        case .track(let event, let properties):
            send("track", ["event": .string(event), "properties": .of(properties)])
        case .identify(let user, let traits): send("identify", ["userId": .string(user), "traits": .of(traits)])
        case .group(let group, let traits): send("group", ["groupId": .string(group), "traits": .of(traits)])
        case .screen(let name, let properties): send("screen", ["name": .string(name), "properties": .of(properties)])
        case .page(let name, let properties): send("page", ["name": .string(name), "properties": .of(properties)])
        case .alias(let user): send("alias", ["newUserId": .string(user)])
        case .setAdvertisingId(nil): send("clearAdvertisingId", [:])
        case .setAdvertisingId(let id?): send("setAdvertisingId", ["advertisingId": .string(id)])
        }
    }

    func flush() { bridge.client.start("analytics.flush") }

    func flush(timeout: Duration) async -> FlushReport {
        FlushReport(await bridge.ask("analytics.flush", [.of(timeout)]))
    }

    func reset(messageId: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        let answer = bridge.client.start("analytics.reset", ["messageId": .of(messageId?.messageID?.text)])
        Task {
            // An error is shown as an outcome that no reset has.
            receipt.resolve((try? await answer.value).map { _ in .answered(messageId) } ?? .dropped(.disabled))
        }
        return receipt
    }

    func resetAndWait() async { await bridge.ask("analytics.reset") }

    func enableDebugLogging() { bridge.client.start("analytics.enableDebugLogging") }

    func getDebugInfo() async -> JSONObject { await bridge.ask("analytics.getDebugInfo").objectValue ?? [:] }

    func applicationDidBecomeActive() { bridge.client.start("analytics.foreground") }

    func applicationDidEnterBackground() { bridge.client.start("analytics.background") }

    func shutdown(timeout: Duration) async { await bridge.end() }
}

extension CallOptions {
    /// The options as they cross the bridge.
    fileprivate var json: JSONValue {
        var json: JSONObject = ["timestamp": .of(timestamp?.description), "context": .of(context)]
        json.merge(ids.json)
        return .object(json)
    }
}

extension AnalyticsScope {
    fileprivate var json: JSONValue {
        var json = ids.json
        json.merge(["context": .of(context), "properties": .of(properties)])
        return .object(json)
    }
}

extension PersonIDs {
    fileprivate var json: JSONObject {
        var json: JSONObject = [:]
        for (name, option) in [("userId", user), ("anonymousId", visitor), ("groupId", group)] {
            if case .given(let id) = option { json[name] = .of(id) }
        }
        return json
    }
}

extension InitOptions {
    /// The options as they cross the bridge: every key.
    fileprivate var json: JSONObject {
        var json = delivery.json
        json.merge([
            "writeKey": .string(writeKey), "ingestionHost": .string(ingestionHost), "debug": .bool(debug),
            "enabled": enabled.map { .bool($0) } ?? .null,
            "flushIntervalSeconds": JSONValue(flushIntervalSeconds),
            "maxQueueEvents": maxQueueEvents.map { JSONValue($0) } ?? .null,
            "flushAt": JSONValue(flushAt), "maxBatchSize": JSONValue(maxBatchSize),
            "maxBatchBytes": JSONValue(maxBatchBytes), "requestTimeoutMs": .of(requestTimeout),
            "app": [
                "name": .of(app.name), "version": .of(app.version), "build": .of(app.build),
                "namespace": .of(app.namespace),
            ], "context": .object(context),
        ])
        return json
    }
}
