import TrackerModels
import TrackerStorage

/// The context of events: the same for all of them but for the advertising identifier.
enum AnalyticsContext {
    /// The part that holds for a whole run: facts about the machine and the application, and over them the client's
    /// options. Unknown facts are left out.
    static func collect(_ facts: HostFacts, app: AppInfo, merging own: JSONObject) -> JSONObject {
        var context: JSONObject = [
            "library": ["name": .string(ProductVersion.product), "version": .string(ProductVersion.current)]
        ]
        context["app"] = object([
            ("name", app.name), ("version", app.version), ("build", app.build), ("namespace", app.namespace),
        ])
        context["device"] = object([
            ("manufacturer", facts.manufacturer), ("model", facts.model), ("name", facts.deviceName),
            ("type", facts.deviceType),
        ])
        context["os"] = object([("name", facts.osName), ("version", facts.osVersion)])
        context["locale"] = facts.locale.map(JSONValue.string)
        context["timezone"] = facts.timezone.map(JSONValue.string)
        return merge(own, over: context)
    }

    /// The context of an event, with the advertising identifier in `device` if there is one when it is committed.
    ///
    /// If the options give a `device` that is not an object, it stays as it is, without the identifier.
    static func template(_ context: JSONObject) throws(JSONSyntaxError) -> BodyTemplate {
        if let device = context["device"], device.objectValue == nil {
            return BodyTemplate([.fixed(try JSONText(context))])
        }
        let otherwise = try JSONText(context)["device"]?["advertisingId"]
        var (before, after) = (JSONObject(), JSONObject())
        var device: JSONObject?
        for (key, value) in context {
            if key == "device", case .object(let own) = value {
                device = own
            } else if device == nil, key != "device" {
                before[key] = value
            } else if key != "device" {
                after[key] = value
            }
        }
        var own = device ?? [:]
        own["advertisingId"] = nil
        let part = BodyTemplate([
            .fixed(try JSONText(own)), .value("advertisingId", .advertisingID, otherwise: otherwise),
        ])
        return BodyTemplate([.fixed(try JSONText(before)), .object("device", part), .fixed(try JSONText(after))])
    }

    /// One object with the members of both; where both have an object, that is merged in turn.
    static func merge(_ top: JSONObject, over base: JSONObject) -> JSONObject {
        var merged = base
        for (key, value) in top {
            if case .object(let own) = value, case .object(let found)? = merged[key] {
                merged[key] = .object(merge(own, over: found))
            } else {
                merged[key] = value
            }
        }
        return merged
    }

    private static func object(_ members: [(String, String?)]) -> JSONValue? {
        let known = members.compactMap { key, value in value.map { (key, JSONValue.string($0)) } }
        return known.isEmpty ? nil : .object(JSONObject(known))
    }
}
