import TrackerModels

/// What events tell of their surroundings: the same for all of them, but for the advertising identifier.
enum AnalyticsContext {
    /// The part that holds for a whole run: what the machine tells, the application, and over them what the client's
    /// options say. What nobody can tell is left out.
    static func collect(_ facts: HostFacts, app: AppInfo, merging own: JSONObject) -> JSONObject {
        var context: JSONObject = [
            "library": ["name": "mobile-tracker", "version": .string(ProductVersion.current)]
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

    /// The context of an event.
    ///
    /// - Parameter advertisingId: Stands in `device` if there is one.
    static func text(_ context: JSONObject, advertisingId: Secret?) throws(JSONSyntaxError) -> JSONText {
        guard let advertisingId else { return try JSONText(context) }
        let device: JSONObject = ["device": ["advertisingId": .string(advertisingId.reveal())]]
        return try JSONText(merge(device, over: context))
    }

    /// One object with the members of both; where both have an object, that is merged in turn.
    private static func merge(_ top: JSONObject, over base: JSONObject) -> JSONObject {
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
