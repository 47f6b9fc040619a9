// swift-format-ignore-file
// The examples stand as they do in the documentation.
import TrackerCore

// The calls of the API reference, as they stand there but for imports; values that are prose there are worded anew.

/// "initialize", with the configuration left to the caller: the reference's names no server of ours.
public func initializing(apiUrl: String, storageDirectory: String) -> Task<String, Never> {
    Task {
        do {
            try await MobileTracker.shared.initialize(
                brandId: "925",
                config: TrackerConfig(
                    debug: true,
                    apiUrl: apiUrl,
                    xApiKey: "your-api-key",
                    crossSiteCookie: false,
                    cookieExpiration: 365,
                    delivery: DeliveryOptions(storageDirectory: storageDirectory)
                )
            )
            return "Tracker initialized with session"
        } catch {
            return "Initialization failed: \(error)"
        }
    }
}

/// The configuration of "initialize", as it stands.
public let referenceConfig = TrackerConfig(
    debug: true,
    apiUrl: "https://api.yourbackend.com",
    xApiKey: "your-api-key",
    crossSiteCookie: false,
    cookieExpiration: 365
)

/// "track"
public func tracking() async {
    // Simple event
    await MobileTracker.shared.track(
        eventName: "BUTTON_CLICK",
        attributes: nil,
        metadata: nil
    )

    // Event with attributes
    await MobileTracker.shared.track(
        eventName: "PRODUCT_VIEWED",
        attributes: [
            "product_id": "12345",
            "product_name": "Blue Widget",
            "price": 29.99,
            "category": "Widgets",
            "in_stock": true
        ],
        metadata: nil
    )

    // Event with attributes and metadata
    await MobileTracker.shared.track(
        eventName: "PURCHASE",
        attributes: [
            "order_id": "ORD-789",
            "total": 149.99,
            "items": [
                ["id": "12345", "quantity": 2],
                ["id": "67890", "quantity": 1]
            ]
        ],
        metadata: [
            "flow_id": "checkout_v2",
            "experiment": "new_checkout"
        ]
    )
}

/// "identify"
public func identifying() async {
    // Basic identification
    await MobileTracker.shared.identify(userId: "user123", profileData: nil)

    // Identification with profile data
    await MobileTracker.shared.identify(
        userId: "user123",
        profileData: [
            "email": "user@example.com",
            "name": "John Doe",
            "phone": "+1234567890",
            "plan": "pro",
            "signup_date": "2025-01-15"
        ]
    )
}

/// "set"
public func setting() async {
    await MobileTracker.shared.set(profileData: [
        "plan": "enterprise",
        "last_login": "2025-11-27",
        "preferences": [
            "theme": "dark",
            "language": "en"
        ]
    ])
}

/// "setMetadata"
public func settingMetadata() async {
    await MobileTracker.shared.setMetadata([
        "session_type": "premium",
        "feature_flags": ["new_ui", "dark_mode"],
        "experiment_group": "variant_a"
    ])
}

/// "reset", the first call
public func loggingOut() {
    // Clear session but keep brand ID (typical logout)
    MobileTracker.shared.reset(all: false)
}

/// "reset", the second call
public func forgetting() {
    // Clear everything including brand ID (complete reset)
    MobileTracker.shared.reset(all: true)
}

/// "Screen tracking", by hand
public func viewing() async {
    await MobileTracker.shared.track(
        eventName: "VIEW_PAGE",
        attributes: ["screen": "ProductDetails", "product_id": "12345"]
    )
}

/// The calls of "track", "identify", "set" and "setMetadata" with dictionaries of any values, as their signatures say.
public func dictionaries(attributes: [String: Any]?, profileData: [String: Any], metadata: [String: Any]) async {
    await MobileTracker.shared.track(eventName: "DICTIONARY", attributes: attributes, metadata: metadata)
    await MobileTracker.shared.identify(userId: "user123", profileData: profileData)
    await MobileTracker.shared.set(profileData: profileData)
    await MobileTracker.shared.setMetadata(metadata)
}

/// "Error Codes": what the cases of the reference are called in a `catch`.
public func nameOfError(in work: () async throws -> Void) async -> String {
    do {
        try await work()
        return "none"
    } catch TrackerError.invalidBrandId {
        return "invalidBrandId"
    } catch TrackerError.invalidConfiguration {
        return "invalidConfiguration"
    } catch TrackerError.sessionCreationFailed {
        return "sessionCreationFailed"
    } catch TrackerError.serializationFailed {
        return "serializationFailed"
    } catch TrackerError.networkError {
        return "networkError"
    } catch {
        return "another"
    }
}

/// "Configuration Examples"; never called in a test, since it names a server that is not ours.
public func configuring() async throws {
    let config = TrackerConfig(
        debug: true,
        apiUrl: "https://api.example.com",
        xApiKey: "your-api-key",
        crossSiteCookie: false,
        cookieDomain: nil,
        cookieExpiration: 365
    )

    try await MobileTracker.shared.initialize(brandId: "925", config: config)
}
