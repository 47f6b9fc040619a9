import TrackerModels
import TrackerStorage

/// What makes one kind of client: its settings, its policy, and how its calls become records.
///
/// A model is a value. ``ClientRuntime`` keeps it behind its lock and asks it for one call at a time, in the order of the
/// calls, so a model remembers exactly what the earlier calls left.
protocol ClientModel: Sendable {
    /// What `initialize` was given, checked.
    associatedtype Settings: ClientSettings
    /// A call as the program makes it.
    associatedtype Given: FilterableCall where Given.Checked == Call
    /// A call that has been checked.
    associatedtype Call: Sendable

    /// What the log calls the client.
    static var name: String { get }
    static var policy: ClientPolicy { get }

    /// What a call changes in its lane.
    ///
    /// - Throws: Why the call is refused. A refused call must not change the model.
    mutating func change(for call: Call, _ stamp: CallStamp, under settings: Settings) throws(Refusal) -> LaneChange

    /// Forgets the user: the client is shut down.
    mutating func forget()

    /// Adds the client's own members to a debug info, and says in its own words where the client stands.
    static func describe(_ snapshot: ClientSnapshot<Self>, in info: inout JSONObject)

    mutating func opened(_ found: LaneState) -> [ModelEffect<Given>]

    /// Delivery has begun. The callers of `initialize` are answered after this.
    mutating func started(under settings: Settings) -> [ModelEffect<Given>]

    /// Whether the model asks for what is on disk.
    static var followsCommits: Bool { get }

    /// What begins the sentence about a call that waits, for those who want details; `nil`: there is none.
    static var pendingNote: String? { get }

    /// A call is on disk. Its caller is answered after this.
    ///
    /// - Parameters:
    ///   - call: Its number.
    ///   - session: The lane's session then.
    ///   - generation: The generation that it is of.
    mutating func committed(
        _ call: Int, in session: SessionID?, of generation: Generation
    ) -> [ModelEffect<Given>]

    /// The outbox has refused a call of which the model remembers something, or will. Its caller is answered after this.
    mutating func refused(_ call: Int, _ messageID: MessageID)

    mutating func observed(_ event: DeliveryEvent) -> [ModelEffect<Given>]

    /// About how many bytes a call takes in memory.
    static func weight(of call: Call) -> Int

    /// The key of a call whose caller chose none.
    static func messageID(at time: Timestamp, _ ids: any IDGenerator) -> MessageID
}

extension ClientModel {
    mutating func forget() {}
    func opened(_: LaneState) -> [ModelEffect<Given>] { [] }
    func started(under _: Settings) -> [ModelEffect<Given>] { [] }
    static var followsCommits: Bool { false }
    static var pendingNote: String? { nil }
    func committed(_: Int, in _: SessionID?, of _: Generation) -> [ModelEffect<Given>] { [] }
    func refused(_: Int, _: MessageID) {}
    func observed(_: DeliveryEvent) -> [ModelEffect<Given>] { [] }
    static func weight(of _: Call) -> Int { 256 }
    static func messageID(at _: Timestamp, _ ids: any IDGenerator) -> MessageID { ids.messageID() }
}
