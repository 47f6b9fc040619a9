import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What `initialize` was given, checked.
struct BasicSettings: ClientSettings {
    let apiKey: Secret
    let base: BaseURL
    /// The endpoint as events are posted to it.
    let endpoint: String
    let appVersion: String?
    let delivery: DeliveryOptions
    let isVerbose: Bool
    /// What every event tells of its surroundings.
    let context: JSONText

    /// Checks what `initialize` was given.
    ///
    /// - Throws: `invalidAPIKey`, `invalidEndpoint`, or `invalidConfiguration` with the field and the reason.
    init(
        apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int?, options: DeliveryOptions,
        isVerbose: Bool = false
    ) throws(TrackerError) {
        do throws(SecretFault) {
            self.apiKey = try Secret(given: apiKey)
        } catch {
            throw TrackerError(.invalidAPIKey, "API key \(error.reason)")
        }
        guard let endpoint, !endpoint.isBlank else {
            throw TrackerError(.invalidEndpoint, "Endpoint is required, such as https://in.example.com/events")
        }
        do {
            base = try BaseURL(endpoint, allowInsecureHTTP: options.allowInsecureHTTP)
        } catch {
            throw TrackerError(.invalidEndpoint, "The endpoint is not usable. \(error.reason)")
        }
        if let maxQueueSize { try FieldCheck.atLeastOne("maxQueueSize", maxQueueSize) }
        try options.validate()
        // A base URL is canonical without the slash at its end, and a server may tell the two apart.
        self.endpoint = base.description + (endpoint.hasSuffix("/") ? "/" : "")
        self.appVersion = appVersion
        self.isVerbose = isVerbose
        var delivery = options
        delivery.maxQueuedEvents = options.queueBound(own: maxQueueSize, inMemory: 100)
        self.delivery = delivery
        context = Self.context(appVersion: appVersion)
    }

    let title = "BasicTracker"
    let keyPrefix = "__GT_basic_"
    var lane: LaneIdentity { LaneIdentity(kind: .endpoint, owner: "", origin: base.description) }
    var limits: OutboxLimits { delivery.limits(overflow: .dropOldest) }

    func dialect(ids _: any IDGenerator) -> any Dialect {
        EndpointDialect(endpoint: endpoint, apiKey: apiKey, timeout: delivery.requestTimeout)
    }

    func succession(to current: BasicSettings) -> Succession {
        current.lane == lane && current.delivery == delivery ? .updates : .replaces
    }

    private static func context(appVersion: String?) -> JSONText {
        var context = JSONObjectWriter()
        context.append("platform", SystemDescription.osName.lowercased())
        context.append("osVersion", SystemDescription.osVersion)
        if let appVersion { context.append("appVersion", appVersion) }
        return context.finish()
    }
}
