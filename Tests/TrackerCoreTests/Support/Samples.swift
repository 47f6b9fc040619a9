import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// Gives the middle of every range: no jitter at all.
struct NoJitter: RandomNumberGenerator, Sendable {
    // Without a value it would have no address of its own, and ThreadSanitizer would take two of them for one.
    private var half: UInt64 = 1 << 63

    mutating func next() -> UInt64 { half }
}

extension MonotonicInstant {
    static func seconds(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }
}

extension JSONText {
    /// Text that a test knows to be JSON; `null` if it is not.
    static func of(_ text: String) -> JSONText {
        (try? JSONText(validating: text)) ?? JSONText(accepted: Array("null".utf8))
    }
}

extension Properties {
    /// Text that a test knows to be JSON.
    static func of(_ text: String) -> Properties { Properties(JSONText.of(text)) }
}

extension Record {
    static func sample(
        _ number: Int64 = 1, route: Route = .event, body: String = #"{"event_name":"E"}"#, generation: Int64 = 1,
        occurredAt: Int64 = 0, acceptedAt: Duration? = .zero
    ) -> Record {
        Record(
            id: ID(number), messageID: .of("m\(number)"), sequence: number,
            generation: Generation(generation), route: route, body: .of(body),
            occurredAt: Timestamp(milliseconds: occurredAt), acceptedAt: acceptedAt
        )
    }
}

extension MessageID {
    /// An id that a test knows to be one.
    static func of(_ text: String) -> MessageID {
        MessageID(text) ?? { preconditionFailure("\(text) is no message id") }()
    }
}

extension LaneState {
    static func sample(
        generation: Int64 = 1, consent: Consent = .granted, session: String? = "S1", device: String? = "D1",
        identify: String? = nil, queued: Int = 1, bytes: Int = 100
    ) -> LaneState {
        LaneState(
            generation: Generation(generation), consent: consent,
            entry: GenerationEntry(
                session: session.flatMap(SessionID.init), device: device.flatMap(DeviceID.init),
                identifyID: identify.flatMap(UserID.init)),
            queuedRecords: queued, queuedBytes: bytes, oldestOccurredAt: nil, isAwaitingDisk: false
        )
    }
}

extension Peek {
    static func sample(_ records: [Record], state: LaneState = .sample()) -> Peek {
        Peek(state: state, records: records, entries: [state.generation: state.entry])
    }
}

extension SessionDialect {
    static func sample(key: String = "key-1234") throws -> SessionDialect {
        SessionDialect(
            requests: SessionRequests(
                base: try BaseURL("https://api.example.com/base"), brand: try #require(BrandID("925")),
                apiKey: Secret(key), timeout: .seconds(30)),
            device: Device(osName: "Linux", deviceType: "Desktop"), ids: RandomIDGenerator())
    }
}

extension Result where Success == HTTPResponse, Failure == TransportError {
    static func status(_ status: Int, headers: HTTPHeaders = [:], body: String = "{}") -> Self {
        .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyBytes: 10, sentBytes: 8))
    }

    static func failed(_ kind: TransportError.Kind) -> Self {
        .failure(TransportError(kind, host: "api.example.com", message: "\(kind)"))
    }
}

extension EnvironmentOptions {
    /// An environment that says nothing.
    static var none: EnvironmentOptions { EnvironmentOptions { _ in nil } }
}

extension TrackerSettings {
    /// Checks what leaves nothing to the environment.
    init(brandId: String, config: TrackerConfig?) throws(TrackerError) {
        var environment = EnvironmentOptions.none
        try self.init(brandId: brandId, config: config, &environment)
    }
}

extension AnalyticsSettings {
    /// Checks options that leave nothing to the environment.
    init(_ options: InitOptions, facts: HostFacts) throws(TrackerError) {
        var environment = EnvironmentOptions.none
        try self.init(options, facts: facts, &environment)
    }
}

extension BasicSettings {
    /// Checks what leaves nothing to the environment.
    init(apiKey: String?, endpoint: String?, appVersion: String?, options: BasicOptions) throws(TrackerError) {
        var environment = EnvironmentOptions.none
        try self.init(apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, options: options, &environment)
    }
}
