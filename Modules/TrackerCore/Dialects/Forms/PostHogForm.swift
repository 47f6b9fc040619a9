import TrackerModels
import TrackerNetworking

/// PostHog's batches ("Capture and batch API"), with the events that its own libraries make of the same calls.
///
/// A batch may have 20 MB. The key travels in the body. PostHog answers 200 to events past a billing limit and says so
/// in the body; it does not want them again, so they are refused.
struct PostHogForm: Form {
    let key: Secret
    /// What PostHog calls the kind of group that calls name.
    let groupType: String

    var paths: [String] { [Self.path] }
    var limits: FormLimits { FormLimits(records: 10_000, bytes: 20_000_000) }

    var refusalIn2xx: String { "and says that the project's quota of events is used up" }

    private static let path = "/batch/"
    /// PostHog cuts a longer `distinct_id` off.
    private static let maxIDLength = 200

    func envelope(of _: String, at wall: Timestamp) -> (opening: String, closing: String) {
        (
            #"{"api_key":\#(JSONText(key.reveal())),"batch":["#,
            #"],"historical_migration":false,"sent_at":"\#(wall)"}"#
        )
    }

    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent {
        var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + 640)
        text.append("event", name(of: event))
        let person = event.kind == .alias ? try event.previous() : try event.person()
        text.append("distinct_id", person.clipped(to: Self.maxIDLength))
        if event.kind == .identify { text.append("$set", event.values) }
        text.append("properties", try properties(of: event))
        text.append("timestamp", event.time.description)
        text.append("uuid", event.messageID.uuid)
        return FormedEvent(path: Self.path, events: [text.finish()])
    }

    func meaning(of answer: HTTPResponse, to events: () -> [JSONText]) -> FormAnswer? {
        guard answer.status == 200, let limited = answer.json?["quota_limited"]?.elements,
            limited.contains(where: { $0.stringValue == "events" })
        else { return nil }
        return .refused(Set(events().indices), others: .wait)
    }

    /// `$identify` links the anonymous id with the user; without one there is nothing to link, only properties to set.
    private func name(of event: StoredEvent) -> JSONText {
        switch event.kind {
        case .track: event.name ?? JSONText("")
        case .identify: JSONText(event.anonymousID == nil ? "$set" : "$identify")
        case .group: JSONText("$groupidentify")
        case .screen: JSONText("$screen")
        case .page: JSONText("$pageview")
        case .alias: JSONText("$create_alias")
        }
    }

    private func properties(of event: StoredEvent) throws(Inexpressible) -> JSONText {
        let own = facts(of: event)
        var text = JSONObjectWriter(reservingCapacity: event.values.byteCount + 320)
        switch event.kind {
        case .track: break
        case .screen: if let name = event.name { text.append("$screen_name", name) }
        case .page: if let name = event.name { text.append("title", name) }
        case .identify:
            if let anonymous = event.anonymousID {
                text.append("$anon_distinct_id", anonymous.clipped(to: Self.maxIDLength))
            }
            return .merging(own, text.finish())
        case .group:
            text.append("$group_type", groupType)
            if let group = event.groupID { text.append("$group_key", group) }
            text.append("$group_set", event.values)
            return .merging(own, text.finish())
        case .alias:
            text.append("distinct_id", try event.previous().clipped(to: Self.maxIDLength))
            if let user = event.userID { text.append("alias", user.clipped(to: Self.maxIDLength)) }
            return .merging(own, text.finish())
        }
        if let group = event.groupID {
            var groups = JSONObjectWriter()
            groups.append(groupType, group)
            text.append("$groups", groups.finish())
        }
        return .merging([own, text.finish(), event.values])
    }

    /// The context in PostHog's names. The address that a request comes from says where a server stands, not its user.
    private func facts(of event: StoredEvent) -> JSONText {
        var text = JSONObjectWriter()
        text.append("$lib", ProductVersion.product)
        text.append("$lib_version", ProductVersion.current)
        if let address = event.context["ip"] {
            text.append("$ip", address)
        } else {
            text.append("$geoip_disable", true)
        }
        event.copy(
            [
                ("os.name", "$os"), ("os.version", "$os_version"), ("device.manufacturer", "$device_manufacturer"),
                ("device.model", "$device_model"), ("device.name", "$device_name"), ("device.type", "$device_type"),
                ("device.advertisingId", "$device_advertising_id"), ("app.name", "$app_name"),
                ("app.version", "$app_version"), ("app.build", "$app_build"), ("app.namespace", "$app_namespace"),
                ("screen.width", "$screen_width"), ("screen.height", "$screen_height"),
                ("network.wifi", "$network_wifi"), ("locale", "$locale"), ("timezone", "$timezone"),
            ], to: &text)
        return text.finish()
    }
}
