import TrackerModels
import TrackerNetworking

/// Mixpanel's ingestion API: events to `/import`, people to `/engage`, groups to `/groups`.
///
/// Calls that go to different paths do not share a request, so that their order is kept. A request has at most 2 MB, 2,000
/// events or 200 groups. `/import` names the events that it refuses and takes the others.
struct MixpanelForm: Form {
    let key: Secret
    /// The key under which the project knows groups.
    let groupType: String

    var paths: [String] { [Self.events, Self.people, Self.groups] }
    var limits: FormLimits { FormLimits(records: 200, bytes: 2_000_000) }
    var headers: [HTTPHeaders.Field] { [.basicAuthorization(user: key)] }

    var listOfFaults: String? { "failed_records" }

    private static let events = "/import?strict=1"
    // `ip=0`: the address that a request comes from says where a server stands, not its user.
    private static let people = "/engage?ip=0&verbose=1"
    private static let groups = "/groups?ip=0&verbose=1"

    func envelope(of _: String, at _: Timestamp) -> (opening: String, closing: String) { ("[", "]") }

    /// Compression is documented for `/import` alone.
    func takesGzip(_ path: String) -> Bool { path == Self.events }

    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent {
        switch event.kind {
        case .track, .screen, .page:
            var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + 512)
            text.append("event", event.name ?? JSONText(""))
            text.append("properties", try properties(of: event))
            return FormedEvent(path: Self.events, events: [text.finish()])
        case .alias:
            var properties = JSONObjectWriter()
            let people = [try event.previous(), try event.person()]
            properties.append("$distinct_ids", JSONText(elements: people))
            properties.append("token", key.reveal())
            var text = JSONObjectWriter()
            text.append("event", "$merge")
            text.append("properties", properties.finish())
            return FormedEvent(path: Self.events, events: [text.finish()])
        case .identify:
            var text = profile(event)
            text.append("$distinct_id", try event.person())
            text.append("$set", event.values)
            return FormedEvent(path: Self.people, events: [text.finish()])
        case .group:
            guard let group = event.groupID else { throw Inexpressible(reason: "the call names no group") }
            var text = profile(event)
            text.append("$group_key", groupType)
            text.append("$group_id", group)
            text.append("$set", event.values)
            return FormedEvent(path: Self.groups, events: [text.finish()])
        }
    }

    private func profile(_ event: StoredEvent) -> JSONObjectWriter {
        var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + 256)
        text.append("$token", key.reveal())
        let time = event.time.milliseconds
        let (seconds, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1000)
        let number = "\(time < 0 ? "-" : "")\(seconds).\(String(rest + 1000).dropFirst())"
        text.append("$time", JSONNumber(number) ?? JSONNumber(time / 1000))
        return text
    }

    /// What makes an event one of this project, person and time is the client's: a property of such a name would lose
    /// the event.
    private func properties(of event: StoredEvent) throws(Inexpressible) -> JSONText {
        var text = JSONObjectWriter(reservingCapacity: 512)
        text.append("token", key.reveal())
        text.append("distinct_id", try event.person())
        text.append("time", event.time.milliseconds)
        text.append("$insert_id", event.messageID.uuid)
        if let user = event.userID { text.append("$user_id", user) }
        if let device = event.anonymousID { text.append("$device_id", device) }
        var facts = JSONObjectWriter()
        facts.append("mp_lib", ProductVersion.product)
        facts.append("$lib_version", ProductVersion.current)
        if let group = event.groupID { facts.append(groupType, group) }
        event.copy(
            [
                ("os.name", "$os"), ("os.version", "$os_version"), ("device.manufacturer", "$manufacturer"),
                ("device.model", "$model"), ("device.advertisingId", "$advertising_id"),
                ("app.version", "$app_version_string"), ("app.build", "$app_build_number"),
                ("screen.width", "$screen_width"), ("screen.height", "$screen_height"), ("network.wifi", "$wifi"),
                ("locale", "locale"), ("timezone", "timezone"), ("ip", "ip"),
            ], to: &facts)
        return .merging([facts.finish(), event.values, text.finish()])
    }

    func meaning(of answer: HTTPResponse, to _: () -> [JSONText]) -> FormAnswer? {
        guard answer.status == 400 || answer.status == 200, let body = answer.json else { return nil }
        let failed = listOfFaults.flatMap { body[$0]?.elements } ?? []
        let places = failed.compactMap { $0["index"]?.intValue.map { Int($0) } }
        // A place that cannot be read may be that of any event: none is known to be delivered.
        if places.count < failed.count { return .kind(.refused) }
        if !places.isEmpty { return .refused(Set(places), others: .delivered) }
        // `/engage` and `/groups` say 1 for taken and 0 for refused, whatever the status.
        return body.intValue == 0 || body["status"]?.intValue == 0 ? .kind(.refused) : nil
    }
}
