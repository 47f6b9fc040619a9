// swift-format-ignore-file
// The example stands as it does in the documentation.
import TrackerCore

/// "In Swift", on the repository's front page.
public func frontPage() async throws {
    let config = TrackerConfig(apiUrl: "http://127.0.0.1:8123", xApiKey: "any-key")
    try await MobileTracker.shared.initialize(brandId: "925", config: config)
    await MobileTracker.shared.identify(userId: "customer-17", profileData: ["email": "mail@example.com"])
    await MobileTracker.shared.track(eventName: "PURCHASE", attributes: ["total": 149.99], metadata: ["flow_id": "v2"])
    await MobileTracker.shared.shutdown()
}
