import TrackerModels
import TrackerNetworking
import TrackerStorage

/// A brand and a configuration that have been checked.
struct TrackerSettings: Sendable {
    let brand: BrandID
    let base: BaseURL
    let apiKey: Secret
    let config: TrackerConfig

    /// Checks what `initialize` was given.
    ///
    /// - Throws: `invalidBrandId`, or `invalidConfiguration` with the field and the reason.
    init(brandId: String, config: TrackerConfig?) throws(TrackerError) {
        guard !brandId.isEmpty else { throw TrackerError(.invalidBrandId, "Brand ID is required") }
        guard let brand = BrandID(brandId) else { throw TrackerError(.invalidBrandId, "Brand ID must be a number") }
        let config = config ?? .default
        try config.delivery.validate()
        for option in TrackerConfig.options { try option.check(config) }
        if let screen = config.initialScreen, screen.name.isBlank {
            throw FieldCheck.fault("initialScreen", "must have a name")
        }
        self.brand = brand
        base = try Self.base(config)
        apiKey = try Self.key(config.xApiKey)
        self.config = config
    }

    /// The lane of this brand and base URL.
    var lane: LaneIdentity { LaneIdentity(kind: .session, owner: brand.description, origin: base.description) }

    /// How its outbox is opened.
    func outbox(
        wallClock: @escaping @Sendable () -> Timestamp, observer: @escaping @Sendable (OutboxEvent) -> Void
    ) -> OutboxConfiguration {
        OutboxConfiguration(
            location: config.delivery.location, lane: lane, keyPrefix: "__GT_\(brand)_",
            durability: config.delivery.outboxDurability,
            limits: config.delivery.limits(overflow: .refuseNew, maxPendingRecords: config.maxPendingEvents),
            expiration: .seconds(config.cookieExpiration * 86_400), initialConsent: config.consent, bindsSessions: true,
            wallClock: wallClock, observer: observer
        )
    }

    /// How it speaks to its backend.
    func dialect(ids: any IDGenerator) -> SessionDialect {
        SessionDialect(
            requests: requests, device: device, ids: ids,
            maxConcurrentRequests: config.delivery.maxConcurrentRequests
        )
    }

    /// The backend's requests.
    var requests: SessionRequests {
        SessionRequests(base: base, brand: brand, apiKey: apiKey, timeout: config.delivery.requestTimeout)
    }

    /// What the backend is told of the device.
    var device: SessionDialect.Device {
        SessionDialect.Device(
            osName: config.device.osName ?? SystemDescription.osName,
            deviceType: config.device.deviceType ?? SystemDescription.deviceType
        )
    }

    private static func base(_ config: TrackerConfig) throws(TrackerError) -> BaseURL {
        guard let text = config.apiUrl, !text.isEmpty else {
            throw FieldCheck.fault("apiUrl", "is required, such as https://api.example.com")
        }
        do {
            return try BaseURL(text, allowInsecureHTTP: config.delivery.allowInsecureHTTP)
        } catch {
            throw FieldCheck.fault("apiUrl", "is not usable. \(error.reason)")
        }
    }

    private static func key(_ text: String?) throws(TrackerError) -> Secret {
        guard let text, !text.isEmpty else { throw FieldCheck.fault("xApiKey", "is required") }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw FieldCheck.fault("xApiKey", "holds a control character, such as a line break")
        }
        return Secret(text)
    }
}
