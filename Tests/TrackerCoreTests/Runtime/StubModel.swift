import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// A policy as a type, so that a model can be made for each.
protocol StubPolicy: Sendable {
    static var policy: ClientPolicy { get }
}

/// As the basic tracker's.
enum Refusing: StubPolicy {
    static let policy = ClientPolicy(movesQueue: .always)
}

/// As the analytics client's.
enum Holding: StubPolicy {
    static let policy = ClientPolicy(
        beforeInitialize: .holds(calls: 3, bytes: 10_000), afterFailure: .isDisabled, resetEndsRun: true)
}

/// As the session tracker's.
enum Staying: StubPolicy {
    static let policy = ClientPolicy(afterFailure: .isIdle, shutdownCode: .sessionCreationFailed)
}

/// A client of numbered calls, for tests of the state alone.
struct StubModel<Policy: StubPolicy>: ClientModel {
    static var name: String { "Stub" }
    static var policy: ClientPolicy { Policy.policy }

    /// A numbered call.
    struct Given: FilterableCall {
        let number: Int
        var name: String { "\(number)" }
        var outgoing: OutgoingCall { OutgoingCall(method: name) }
        func replacing(_: OutgoingCall, with _: OutgoingCall) -> Given { self }
        func checked() -> Result<Int, Refusal> { .success(number) }
    }

    func change(for _: Int, _: CallStamp, under _: StubSettings) -> LaneChange { .barrier }
    static func describe(_: ClientSnapshot<Self>, in _: inout JSONObject) {}
}

/// Settings that name their lane, and what other settings in use mean to them.
struct StubSettings: ClientSettings {
    let name: String
    let succession: Succession
    let base: BaseURL
    var key = Secret("key")
    var headers = ExtraHeaders()

    init(_ name: String, _ succession: Succession = .ignored(hasOthers: false)) throws(OptionFault.Reason) {
        self.name = name
        self.succession = succession
        base = try BaseURL("https://stub.example")
    }

    var delivery: DeliveryOptions { DeliveryOptions() }
    var title: String { name }
    var lane: LaneIdentity { LaneIdentity(kind: .endpoint, owner: name, origin: "https://stub.example") }
    var keyPrefix: String { "__stub_" }
    var limits: OutboxLimits { OutboxLimits(maxRecords: 3, maxBytes: 10_000) }
    var isVerbose: Bool { false }

    func dialect(ids _: any IDGenerator) -> any Dialect {
        GroupDialect.arrays(endpoint: "https://stub.example", apiKey: key, timeout: .seconds(1))
    }

    func succession(to _: StubSettings) throws(TrackerError) -> Succession {
        if name == "foreign" { throw TrackerError(.initializationFailed, "foreign") }
        return succession
    }
}
