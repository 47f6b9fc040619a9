import TestSupport
import TrackerModels

@testable import TrackerCore

/// Everything that a basic tracker can be asked for over the bridge.
protocol BasicSurface: Sendable {
    func begin(
        apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int?, options: DeliveryOptions,
        debug: Bool
    ) async throws
    func track(event: String, properties: Properties?, messageId: CallerKey?) -> CallReceipt
    func identify(userId: String, traits: Properties?, messageId: CallerKey?) -> CallReceipt
    func screen(name: String, properties: Properties?, messageId: CallerKey?) -> CallReceipt
    func flush(timeout: Duration) async -> FlushReport
    func debugInfo() async -> JSONObject
    func shutdown(timeout: Duration) async
}

extension BasicTracker: BasicSurface {
    func begin(
        apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int?, options: DeliveryOptions,
        debug: Bool
    ) async throws {
        try initialize(
            apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, maxQueueSize: maxQueueSize, options: options,
            debug: debug)
    }
}

/// The basic tracker as a client of the host sees it.
final class BridgedBasic: BasicSurface {
    private let bridge: BridgedCalls

    init() throws {
        bridge = BridgedCalls(try BridgeClient())
    }

    func begin(
        apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int?, options: DeliveryOptions,
        debug: Bool
    ) async throws {
        var keys = options.json
        keys["maxQueueSize"] = maxQueueSize.map { JSONValue($0) } ?? .null
        keys["debug"] = .bool(debug)
        try await bridge.attempt(
            "basic.initialize", [.of(apiKey), .of(endpoint), .of(appVersion), .object(keys)])
    }

    func track(event: String, properties: Properties?, messageId: CallerKey?) -> CallReceipt {
        bridge.receipt("basic.track", ["event": .string(event), "properties": .of(properties)], messageId)
    }

    func identify(userId: String, traits: Properties?, messageId: CallerKey?) -> CallReceipt {
        bridge.receipt("basic.identify", ["userId": .string(userId), "traits": .of(traits)], messageId)
    }

    func screen(name: String, properties: Properties?, messageId: CallerKey?) -> CallReceipt {
        bridge.receipt("basic.screen", ["name": .string(name), "properties": .of(properties)], messageId)
    }

    func flush(timeout: Duration) async -> FlushReport {
        FlushReport(await bridge.ask("basic.flush", [.of(timeout)]))
    }

    func debugInfo() async -> JSONObject { await bridge.ask("basic.getDebugInfo").objectValue ?? [:] }

    func shutdown(timeout: Duration) async { await bridge.end() }
}
