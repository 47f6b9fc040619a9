import TrackerModels
import TrackerNetworking

/// How the events of an analytics client become the requests of one vendor's API, and what that vendor's answers say.
///
/// A value without clock, lock or I/O. What waits in the queue is the same for every form: it takes its form when its
/// request is planned.
protocol Form: Sendable {
    /// Where it posts, below the host.
    var paths: [String] { get }
    var limits: FormLimits { get }
    /// The header fields that it sets itself, besides those of every client.
    var headers: [HTTPHeaders.Field] { get }

    /// What becomes of one stored event.
    ///
    /// The same event always becomes the same text: it may be sent twice.
    ///
    /// - Throws: Why the vendor's API has no words for it.
    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent

    /// What stands before and after the events of a request.
    ///
    /// - Parameter wall: The time of sending.
    func envelope(of path: String, at wall: Timestamp) -> (opening: String, closing: String)

    /// Whether bodies may be compressed there.
    func takesGzip(_ path: String) -> Bool

    /// The list of an answer 400 that names events; `nil` if it has none.
    var listOfFaults: String? { get }

    /// What a 2xx means that refuses events, as the rest of a sentence about the server.
    var refusalIn2xx: String { get }

    /// What an answer says beyond its status; `nil` if that is all.
    ///
    /// - Parameter events: Gives the events that the request carried.
    func meaning(of answer: HTTPResponse, to events: () -> [JSONText]) -> FormAnswer?
}

extension Form {
    var headers: [HTTPHeaders.Field] { [] }

    func takesGzip(_: String) -> Bool { true }

    var listOfFaults: String? { nil }

    var refusalIn2xx: String { "and says that it has refused them" }

    func meaning(of _: HTTPResponse, to _: () -> [JSONText]) -> FormAnswer? { nil }
}

/// Why an event has no words in a form, as a sentence.
struct Inexpressible: Error, Hashable {
    var reason: String
}

extension InitOptions.API {
    /// The form of this API; `nil` for MetaRouter's own, in which events are stored.
    ///
    /// - Parameter headers: What the program wants on every request.
    func form(_ options: InitOptions, key: Secret, headers: ExtraHeaders) -> (any Form)? {
        let groupType = options.groupType ?? "company"
        switch self {
        case .metaRouter: return nil
        case .segment: return SegmentForm(key: key)
        case .postHog: return PostHogForm(key: key, groupType: groupType)
        case .amplitude: return AmplitudeForm(key: key, groupType: groupType)
        case .mixpanel: return MixpanelForm(key: key, groupType: groupType)
        case .otlp:
            let hasOwn = headers.values.keys.contains { HeaderField.isSame($0, "Authorization") }
            return OTLPForm(app: options.shownApp, key: hasOwn ? nil : key)
        }
    }
}

extension InitOptions {
    /// The application as the context of every event has it: facts of the option `context` replace those of `app`.
    fileprivate var shownApp: AppInfo {
        guard let own = context["app"] else { return app }
        return AppInfo(
            name: own["name"]?.stringValue ?? app.name, version: own["version"]?.stringValue ?? app.version,
            build: own["build"]?.stringValue ?? app.build, namespace: own["namespace"]?.stringValue ?? app.namespace)
    }
}
