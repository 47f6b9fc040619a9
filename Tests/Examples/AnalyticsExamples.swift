// swift-format-ignore-file
// The examples stand as they do in the documentation.
import Foundation
import TrackerCore

// The calls of the SDK's documentation, as they stand there but for the import and for what needs an Apple platform.

/// "Basic Setup"
public func basicSetup() -> AnalyticsInterface {
    // Initialize the analytics client (typically in AppDelegate or App.swift)
    let options = InitOptions(
        writeKey: "your-write-key",
        ingestionHost: "https://your-ingestion-endpoint.com",
        debug: true,  // Optional: enable debug mode
        flushIntervalSeconds: 30,  // Optional: flush events every 30 seconds
        maxQueueEvents: 2000  // Optional: max events in memory queue
    )

    let analytics = MetaRouter.Analytics.initialize(with: options)

    // Optional: Set advertising ID (IDFA) for ad tracking - see IDFA Setup section
    analytics.setAdvertisingId("your-idfa-string")
    return analytics
}

/// "Direct Usage"
public func directUsage(options: InitOptions) {
    // Initialize (optionally await it but can use at anytime with events transmitted when client is available)
    let analytics = MetaRouter.Analytics.initialize(with: options)

    // Track events
    analytics.track(
        "User Action",
        properties: [
            "action": "button_click",
            "screen": "home",
        ])

    // Identify users
    analytics.identify(
        "user123",
        traits: [
            "name": "John Doe",
            "email": "john@example.com",
        ])

    // Track screen views
    analytics.screen(
        "Home Screen",
        properties: [
            "category": "navigation"
        ])

    // Group users
    analytics.group(
        "company123",
        traits: [
            "name": "Acme Corp",
            "industry": "technology",
        ])

    // Flush events immediately
    analytics.flush()

    // Reset analytics (useful for testing or logout)
    analytics.reset()
}

/// "SwiftUI Usage" and "SwiftUI Example", without SwiftUI.
public final class AnalyticsManager {
    private var analytics: AnalyticsInterface?

    public init() {}

    public func initialize(_ options: InitOptions) {
        analytics = MetaRouter.Analytics.initialize(with: options)
    }

    public func setAdvertisingId(_ advertisingId: String?) {
        analytics?.setAdvertisingId(advertisingId)
    }

    public func track(_ event: String, properties: [String: Any]? = nil) {
        analytics?.track(event, properties: properties)
    }
}

public func useManager(_ analyticsManager: AnalyticsManager) {
    analyticsManager.track(
        "Button Pressed",
        properties: [
            "buttonName": "submit",
            "timestamp": Date().timeIntervalSince1970,
        ])
}

/// "Example"
public final class AppDelegate {
    public var client: AnalyticsClient!

    public init() {}

    public func launch(_ options: InitOptions) -> Bool {
        // Initialize the analytics client
        client = AnalyticsClient.initialize(options: options)

        // Note: The AnalyticsClient can be used as a singleton or assigned to a variable.
        // Both approaches will use the same instance under the hood.
        return true
    }
}

/// "GDPR Compliance: Clearing Advertising ID"
public func clearing(analytics: AnalyticsInterface) {
    // User withdraws consent for advertising tracking
    analytics.clearAdvertisingId()

    // Analytics continues to work without IDFA
    // Only anonymous ID and user ID will be included in events
    analytics.track("checkout_completed", properties: ["order_id": "12345"])
}

/// "Testing APIs" and "Debugging"
public func debugging(options: InitOptions) async {
    // Wait for initialization to complete
    let analytics = await MetaRouter.Analytics.initializeAndWait(with: options)

    // Or enable debug logging after initialization
    analytics.enableDebugLogging()

    // Get current state information
    let debugInfo = await analytics.getDebugInfo()
    print("Analytics debug info:", debugInfo)

    // Manually flush events to see if they're being sent
    analytics.flush()

    // Wait for reset to complete
    await MetaRouter.Analytics.resetAndWait()
}

/// "API Reference": every call with the types that are documented.
public func reference(_ analytics: AnalyticsInterface, properties: [String: Any]?, traits: [String: Any]?) {
    analytics.track("event", properties: properties)
    analytics.identify("userId", traits: traits)
    analytics.group("groupId", traits: traits)
    analytics.screen("name", properties: properties)
    analytics.page("name", properties: properties)
    analytics.alias("newUserId")
    analytics.setAdvertisingId(nil)
}
