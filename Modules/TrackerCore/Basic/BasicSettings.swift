import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What `initialize` was given, checked.
struct BasicSettings: ClientSettings {
    var key: Secret
    var headers: ExtraHeaders
    let base: BaseURL
    /// The endpoint as events are posted to it.
    let endpoint: String
    let appVersion: String?
    let options: BasicOptions
    /// The delivery options, bounded by the tracker's own.
    let delivery: DeliveryOptions
    let isFolderFromEnvironment: Bool
    let context: JSONText

    /// - Throws: `invalidAPIKey`, `invalidEndpoint`, or `invalidConfiguration` with the field and the reason.
    init(
        apiKey: String?, endpoint: String?, appVersion: String?, options: BasicOptions,
        _ environment: inout EnvironmentOptions
    ) throws(TrackerError) {
        var (endpoint, options) = (endpoint, options)
        environment.fill(&endpoint, "endpoint", from: .apiURL)
        environment.fill(&options.delivery.storageDirectory, "storageDirectory", from: .storageDirectory)
        isFolderFromEnvironment = environment.namesFolder
        key = try environment.key(apiKey, "apiKey", or: options.delivery, or: options.credentials, .invalidAPIKey)
        headers = ExtraHeaders(options.delivery.headers)
        guard let endpoint, !endpoint.isBlank else {
            throw TrackerError(OptionFault("endpoint", .required(example: "https://in.example.com")), .invalidEndpoint)
        }
        do throws(OptionFault.Reason) {
            base = try BaseURL(endpoint, allowInsecureHTTP: options.delivery.allowInsecureHTTP)
        } catch {
            throw TrackerError(OptionFault("endpoint", error), .invalidEndpoint)
        }
        for option in BasicOptions.options { try option.check(options) }
        try options.delivery.validate()
        // A base URL has no slash at its end, but to a server the two URLs may differ: keep the slash that was given.
        self.endpoint = base.description + (endpoint.hasSuffix("/") ? "/" : "")
        self.appVersion = appVersion
        self.options = options
        var delivery = options.delivery
        delivery.maxQueuedEvents = delivery.queueBound(own: options.maxQueueSize, inMemory: BasicOptions.memoryBound)
        self.delivery = delivery
        var context = JSONObjectWriter()
        context.append("platform", SystemDescription.osName.lowercased())
        context.append("osVersion", SystemDescription.osVersion)
        if let appVersion { context.append("appVersion", appVersion) }
        self.context = context.finish()
    }

    let title = "BasicTracker"
    var isVerbose: Bool { options.debug }
    var beforeSend: BeforeSend? { options.beforeSend }
    var credentials: CredentialsProvider? { options.credentials }
    var lane: LaneIdentity { LaneIdentity(kind: .endpoint, owner: "", origin: base.description) }
    var laneOptions: [String] { [endpoint] }
    var limits: OutboxLimits { delivery.limits(overflow: .dropOldest) }

    func dialect(ids _: any IDGenerator) -> any Dialect {
        GroupDialect.arrays(endpoint: endpoint, apiKey: key, headers: headers, timeout: delivery.requestTimeout)
    }

    func succession(to current: BasicSettings) -> Succession {
        current.lane == lane && current.delivery == delivery ? .updates : .replaces
    }
}
