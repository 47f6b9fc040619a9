import TrackerModels
import TrackerNetworking

/// Amplitude's HTTP V2 API, with the events that its own libraries make of the same calls.
///
/// A request has at most 2,000 events and 1 MB. The key travels in the body. A refusal names the events by their places,
/// and nothing of that request is taken.
struct AmplitudeForm: Form {
    let key: Secret
    /// What Amplitude calls the kind of group that calls name.
    let groupType: String

    var paths: [String] { [Self.path] }
    /// A group call becomes two events.
    var limits: FormLimits { FormLimits(records: 1000, bytes: 1_000_000) }

    private static let path = "/2/httpapi"
    /// How long a user or device must rest that sends too much.
    private static let throttlePause = Duration.seconds(30)

    func envelope(of _: String, at _: Timestamp) -> (opening: String, closing: String) {
        (#"{"api_key":\#(JSONText(key.reveal())),"events":["#, "]}")
    }

    /// Its documentation names no compression.
    func takesGzip(_: String) -> Bool { false }

    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent {
        FormedEvent(path: Self.path, events: try events(of: event))
    }

    private func events(of event: StoredEvent) throws(Inexpressible) -> [JSONText] {
        switch event.kind {
        case .track, .screen, .page:
            let name = event.name?.stringValue ?? ""
            var text = head(event, type: event.kind == .track ? name : "Viewed \(name)")
            text.append("event_properties", event.values)
            if let group = event.groupID { text.append("groups", named(group)) }
            return [text.finish()]
        case .identify: return [identify(event, event.values)]
        case .alias:
            guard event.anonymousID != nil else {
                throw Inexpressible(reason: "Amplitude links a user with an anonymous id alone, and the alias has none")
            }
            return [identify(event, .emptyObject)]
        case .group:
            guard let group = event.groupID else { throw Inexpressible(reason: "the call names no group") }
            var membership = head(event, type: "$identify")
            membership.append("user_properties", set(named(group)))
            membership.append("groups", named(group))
            guard event.values.hasMembers else { return [membership.finish()] }
            // Two events of one device under one id would be taken for one.
            var traits = head(event, type: "$groupidentify", suffix: ":group")
            traits.append("group_properties", set(event.values))
            traits.append("groups", named(group))
            return [membership.finish(), traits.finish()]
        }
    }

    private func identify(_ event: StoredEvent, _ traits: JSONText) -> JSONText {
        var text = head(event, type: "$identify")
        text.append("user_properties", traits.hasMembers ? set(traits) : .emptyObject)
        return text.finish()
    }

    private func head(_ event: StoredEvent, type: String, suffix: String = "") -> JSONObjectWriter {
        var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + 512)
        text.append("event_type", type)
        if let user = event.userID { text.append("user_id", user) }
        if let device = event.anonymousID { text.append("device_id", device) }
        text.append("time", event.time.milliseconds)
        text.append("insert_id", event.messageID.text + suffix)
        text.append("library", "\(ProductVersion.product)/\(ProductVersion.current)")
        let isApple = ["iOS", "iPadOS", "MacOS"].contains(event.context["os"]?["name"]?.stringValue)
        event.copy(
            [
                ("os.name", "os_name"), ("os.version", "os_version"), ("device.manufacturer", "device_manufacturer"),
                ("device.model", "device_model"), ("device.advertisingId", isApple ? "idfa" : "adid"),
                ("app.version", "app_version"), ("locale", "language"), ("ip", "ip"),
            ], to: &text)
        return text
    }

    private func named(_ group: JSONText) -> JSONText { .object(groupType, group) }

    private func set(_ traits: JSONText) -> JSONText { .object("$set", traits) }

    func meaning(of answer: HTTPResponse, to events: () -> [JSONText]) -> FormAnswer? {
        guard answer.status == 400 || answer.status == 429, let body = answer.json else { return nil }
        if answer.status == 429 { return throttled(body, events) }
        if body["error"]?.stringValue?.hasPrefix("Invalid API key") == true
            || body["missing_field"]?.stringValue == "api_key"
        {
            return .kind(.unauthorized)
        }
        var places = Set(body["silenced_events"]?.places ?? [])
        for list in ["events_with_invalid_fields", "events_with_missing_fields", "events_with_invalid_id_lengths"] {
            places.formUnion(body[list]?.members.flatMap(\.value.places) ?? [])
        }
        return places.isEmpty ? nil : .refused(places, others: .wait)
    }

    /// Events of users and devices past their daily quota are not taken for a day; the others go again after the pause.
    private func throttled(_ body: JSONText, _ events: () -> [JSONText]) -> FormAnswer {
        let named = { (list: String) in Set(body[list]?.members.map { ExactString($0.key) } ?? []) }
        let (users, devices) = (named("exceeded_daily_quota_users"), named("exceeded_daily_quota_devices"))
        let sent = users.isEmpty && devices.isEmpty ? [] : events()
        let refused = sent.indices.filter { place in
            sent[place]["user_id"]?.stringValue.map { users.contains(ExactString($0)) } == true
                || sent[place]["device_id"]?.stringValue.map { devices.contains(ExactString($0)) } == true
        }
        return refused.isEmpty
            ? .retry(floor: Self.throttlePause)
            : .refused(Set(refused), others: .again(after: Self.throttlePause))
    }
}
