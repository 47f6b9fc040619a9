import TrackerModels
import TrackerNetworking

/// Segment's batches, which RudderStack, Jitsu and others take as well (HTTP Tracking API, "Batch").
///
/// A batch has at most 500 KB and 2,500 events. An event may have 32 KiB at Segment and more elsewhere, so the server
/// judges the size of single events: it answers 400, and the batch goes again in halves until the event is found.
struct SegmentForm: Form {
    let key: Secret

    var paths: [String] { [Self.path] }
    var limits: FormLimits { FormLimits(records: 2500, bytes: 500_000) }
    var headers: [HTTPHeaders.Field] { [.basicAuthorization(user: key)] }

    private static let path = "/v1/batch"
    /// How many characters a `messageId` may have.
    private static let maxIDLength = 100

    func envelope(of _: String, at wall: Timestamp) -> (opening: String, closing: String) {
        (#"{"batch":["#, #"],"sentAt":"\#(wall)","writeKey":\#(JSONText(key.reveal()))}"#)
    }

    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent {
        var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + event.context.byteCount + 320)
        text.append("type", event.kind.rawValue)
        if let name = event.name { text.append(event.kind == .track ? "event" : "name", name) }
        if let user = event.userID { text.append("userId", user) }
        if event.kind == .alias {
            text.append("previousId", try event.previous())
        } else if let anonymous = event.anonymousID {
            text.append("anonymousId", anonymous)
        }
        switch event.kind {
        case .track, .screen, .page: text.append("properties", event.values)
        case .identify: text.append("traits", event.values)
        case .group:
            if let group = event.groupID { text.append("groupId", group) }
            text.append("traits", event.values)
        case .alias: break
        }
        text.append("timestamp", event.time.description)
        text.append("messageId", event.id(atMost: Self.maxIDLength))
        text.append("context", Self.context(of: event))
        text.append("integrations", .emptyObject)
        return FormedEvent(path: Self.path, events: [text.finish()])
    }

    /// The context; where the call is not about a group it names the user's (Spec: Common Fields, `context.groupId`).
    private static func context(of event: StoredEvent) -> JSONText {
        guard event.kind != .group, let group = event.groupID else { return event.context }
        var own = JSONObjectWriter()
        own.append("groupId", group)
        return .merging(own.finish(), event.context)
    }
}
