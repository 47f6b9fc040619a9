import Bridge
import JSONRPC

/// The methods of one client of the host.
struct ClientGroup: Sendable {
    /// What the names of its types begin with.
    let name: String
    /// What the names of the host's methods begin with.
    let prefix: String
    let summary: String
    let rows: [BridgedMethod]

    /// Every client, the tracker first.
    static let all = [tracker, analytics, basic, refused, record, host]

    /// The client whose functions are also exported by themselves.
    static let tracker = ClientGroup(
        name: "Tracker", prefix: "", summary: "The methods of the session-based tracker.",
        rows: BridgedMethod.tracker + BridgedMethod.trackerState)

    private static let analytics = ClientGroup(
        name: "Analytics", prefix: "analytics.", summary: "The methods of the analytics client.",
        rows: BridgedMethod.analytics)

    private static let basic = ClientGroup(
        name: "Basic", prefix: "basic.", summary: "The methods of the basic tracker.", rows: BridgedMethod.basic)

    private static let refused = ClientGroup(
        name: "Refused", prefix: "refused.", summary: "What the server has refused, of all clients.",
        rows: BridgedMethod.refused)

    private static let host = ClientGroup(
        name: "Host", prefix: "host.", summary: "What the host says of all clients.", rows: BridgedMethod.hostState)

    private static let record = ClientGroup(
        name: "Record", prefix: "record.", summary: "The calls of a test, of all clients.", rows: BridgedMethod.record)

    /// Whether its calls take what the scope around them gives.
    var isScoped: Bool { rows.contains { CallTraits(of: $0).isScoped } }

    /// What a method is called in the client.
    func name(of row: BridgedMethod) -> String { String(row.method.name.dropFirst(prefix.count)) }
}
