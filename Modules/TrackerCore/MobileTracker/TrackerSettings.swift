import TrackerModels
import TrackerNetworking
import TrackerStorage

/// A brand and a configuration that have been checked.
struct TrackerSettings: ClientSettings {
    let brand: BrandID
    let base: BaseURL
    var key: Secret
    var headers: ExtraHeaders
    let config: TrackerConfig
    let isFolderFromEnvironment: Bool

    /// Checks what `initialize` was given.
    ///
    /// - Parameter environment: Gives what the configuration leaves out.
    /// - Throws: `invalidBrandId`, or `invalidConfiguration` with the field and the reason.
    init(
        brandId: String, config: TrackerConfig?, _ environment: inout EnvironmentOptions
    ) throws(TrackerError) {
        guard !brandId.isEmpty else { throw TrackerError(.invalidBrandId, "Brand ID is required") }
        guard let brand = BrandID(brandId) else { throw TrackerError.invalidBrandId }
        var config = config ?? .default
        environment.fill(&config.apiUrl, "apiUrl", from: .apiURL)
        environment.fill(&config.delivery.storageDirectory, "storageDirectory", from: .storageDirectory)
        isFolderFromEnvironment = environment.namesFolder
        try config.delivery.validate()
        for option in TrackerConfig.options { try option.check(config) }
        if let screen = config.initialScreen, screen.name.isBlank {
            throw FieldCheck.fault("initialScreen", .invalid(.noName))
        }
        self.brand = brand
        base = try Self.base(config)
        key = try environment.key(config.xApiKey, "xApiKey", or: config.delivery, or: config.credentials)
        headers = ExtraHeaders(config.delivery.headers)
        self.config = config
    }

    var lane: LaneIdentity { LaneIdentity(kind: .session, owner: brand.description, origin: base.description) }

    var delivery: DeliveryOptions { config.delivery }
    var title: String { "MobileTracker \(brand)" }
    var limits: OutboxLimits { delivery.limits(overflow: .refuseNew, maxPendingRecords: config.maxPendingEvents) }
    var expiration: Duration { .seconds(config.cookieExpiration * 86_400) }
    var initialConsent: Consent? { config.consent }
    var bindsSessions: Bool { true }
    var isVerbose: Bool { config.debug }
    var beforeSend: BeforeSend? { config.beforeSend }
    var credentials: CredentialsProvider? { config.credentials }
    var openingTimeout: Duration? { config.initTimeout }

    func openingChanges(ids _: any IDGenerator) -> [LaneChange] { [.store(.brandID, brand.description, nil)] }

    func needsSession(_ found: LaneState) -> Bool { found.needsSession && config.sessionCreation == .duringInit }

    /// Refuses another brand than the one in use, so that no event is filed under the wrong brand.
    func succession(to current: TrackerSettings) throws(TrackerError) -> Succession {
        guard current.brand == brand else {
            throw TrackerError(
                .initializationFailed,
                "The tracker is initialized for brand \(current.brand.number), and cannot also be for brand "
                    + "\(brand.number). Reset everything or shut the tracker down first, or make a tracker of its own for the "
                    + "other brand.")
        }
        return .ignored(hasOthers: config != current.config)
    }

    func dialect(ids: any IDGenerator) -> any Dialect {
        SessionDialect(requests: requests, device: device, ids: ids)
    }

    var requests: SessionRequests {
        SessionRequests(
            base: base, brand: brand, apiKey: key, headers: headers,
            timeout: delivery.requestTimeout)
    }

    var device: SessionDialect.Device {
        SessionDialect.Device(
            osName: config.device.osName ?? SystemDescription.osName,
            deviceType: config.device.deviceType ?? SystemDescription.deviceType
        )
    }

    private static func base(_ config: TrackerConfig) throws(TrackerError) -> BaseURL {
        guard let text = config.apiUrl, !text.isEmpty else {
            throw FieldCheck.fault("apiUrl", .required(example: "https://api.example.com"))
        }
        do throws(OptionFault.Reason) {
            let base = try BaseURL(text, allowInsecureHTTP: config.delivery.allowInsecureHTTP)
            try base.checkThatItIsAbove(SessionRequests.paths)
            return base
        } catch {
            throw FieldCheck.fault("apiUrl", error)
        }
    }
}
