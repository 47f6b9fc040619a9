import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What `initialize` was given, checked.
struct BasicSettings: Sendable {
    let apiKey: Secret
    let base: BaseURL
    /// The endpoint as events are posted to it.
    let endpoint: String
    let appVersion: String?
    let delivery: DeliveryOptions

    /// Checks what `initialize` was given.
    ///
    /// - Throws: `invalidAPIKey`, `invalidEndpoint`, or `invalidConfiguration` with the field and the reason.
    init(
        apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int?, options: DeliveryOptions
    ) throws(TrackerError) {
        guard let apiKey, !apiKey.isBlank else { throw TrackerError(.invalidAPIKey, "API key is required") }
        guard apiKey.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw TrackerError(.invalidAPIKey, "The API key holds a control character, such as a line break")
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
        self.apiKey = Secret(apiKey)
        // A base URL is canonical without the slash at its end, and a server may tell the two apart.
        self.endpoint = base.description + (endpoint.hasSuffix("/") ? "/" : "")
        self.appVersion = appVersion
        var delivery = options
        delivery.maxQueuedEvents = options.queueBound(own: maxQueueSize, inMemory: 100)
        self.delivery = delivery
    }

    /// The lane of this endpoint.
    var lane: LaneIdentity { LaneIdentity(kind: .endpoint, owner: "", origin: base.description) }

    /// How its outbox is opened.
    ///
    /// - Parameter adopts: The lane whose records move here.
    func outbox(
        adopts: [LaneIdentity], wallClock: @escaping @Sendable () -> Timestamp,
        observer: @escaping @Sendable (OutboxEvent) -> Void
    ) -> OutboxConfiguration {
        OutboxConfiguration(
            location: delivery.location, lane: lane, keyPrefix: "__GT_basic_", durability: delivery.outboxDurability,
            limits: delivery.limits(overflow: .dropOldest), initialConsent: nil, bindsSessions: false, adopts: adopts,
            wallClock: wallClock,
            observer: observer
        )
    }

    /// How it speaks to its endpoint.
    var dialect: EndpointDialect {
        EndpointDialect(endpoint: endpoint, apiKey: apiKey, timeout: delivery.requestTimeout)
    }
}
