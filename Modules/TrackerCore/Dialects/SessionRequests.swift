import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Builds the requests of the session backend.
struct SessionRequests: Sendable {
    let base: BaseURL
    let brand: BrandID
    let apiKey: Secret
    let headers: ExtraHeaders
    let timeout: Duration
    /// Where events go.
    private let events: String

    init(base: BaseURL, brand: BrandID, apiKey: Secret, headers: ExtraHeaders = ExtraHeaders(), timeout: Duration) {
        self.base = base
        self.brand = brand
        self.apiKey = apiKey
        self.headers = headers
        self.timeout = timeout
        events = base.appending(path: Self.eventsPath)
    }

    /// The endpoints that bear no id, below the base URL.
    static let paths = [eventsPath, creationPath, linkPath, profilePath]

    private static let eventsPath = "/v2/tracking-session-data"
    private static let creationPath = "/v2/tracking-session"
    private static let linkPath = "/v2/tracking-session/link-session"
    private static let profilePath = "/v1/customer-profiles/set"

    /// `POST /v2/tracking-session`: makes a session for a device.
    func create(for id: DeviceID, on device: SessionDialect.Device, key: String) -> HTTPRequest {
        var body = JSONObjectWriter()
        body.append("device_id", id.text)
        body.append("os_name", device.osName)
        body.append("device_type", device.deviceType)
        body.append("brand_id", brand.number)
        return request(.post, Self.creationPath, body.finish(), key: key)
    }

    /// `PUT /v2/tracking-session/{session}/identify/{user}`: identifies the user of a session; no body.
    func identify(_ user: UserID, in session: SessionID, for record: Record) -> HTTPRequest {
        let path = sessionPath(session) + "/identify/" + PercentEncoding.segment(user.text)
        return request(.put, path, nil, key: record.messageID.text + ":identify", record: record)
    }

    /// A record's main request.
    func main(_ record: Record, entry: GenerationEntry, session: SessionID) -> HTTPRequest {
        let key = record.messageID.text
        switch record.route {
        case .event:
            var bound = JSONObjectWriter(reservingCapacity: record.body.byteCount + session.text.utf8.count + 64)
            bound.append("brand_id", brand.number)
            bound.append("session_id", session.text)
            bound.append(membersOf: record.body)
            return HTTPRequest(
                method: .post, url: events,
                headers: RequestHeaders.make(key: key, apiKey: apiKey, record: record, extra: headers),
                body: bound.finish().bytes, timeout: timeout)
        case .location:
            return request(.put, sessionPath(session) + "/location", record.body, key: key, record: record)
        case .email:
            var bound = JSONObjectWriter()
            bound.append(membersOf: record.body)
            bound.append("brand_id", brand.number)
            return request(.put, sessionPath(session) + "/email_v2", bound.finish(), key: key, record: record)
        case .link:
            var bound = JSONObjectWriter()
            bound.append(membersOf: record.body)
            bound.append("current_session_id", session.text)
            if let device = entry.device { bound.append("device_id", device.text) }
            bound.append("brand_id", brand.number)
            return request(.post, Self.linkPath, bound.finish(), key: key, record: record)
        case .profile, .metadata, .batch, .endpoint:
            // Records of other clients' routes never enter a session lane.
            return profile(record, entry: entry)
        }
    }

    /// `PUT /v1/customer-profiles/set`: the profile of a generation's user, and the metadata of its session if it has one.
    func profile(_ record: Record, entry: GenerationEntry) -> HTTPRequest {
        var bound = JSONObjectWriter()
        bound.append(membersOf: record.body)
        bound.append("brand_id", brand.number)
        if ProfileBody.user(in: record.body) == nil, let user = entry.identifyID {
            bound.append("user_id", user.text)
        }
        if let session = entry.session { bound.append("session_id", session.text) }
        return request(.put, Self.profilePath, bound.finish(), key: record.messageID.text, record: record)
    }

    private static let sessionPrefix = "/v2/tracking-session/"

    /// Holds the session, and in an identification the user.
    private func sessionPath(_ session: SessionID) -> String {
        Self.sessionPrefix + PercentEncoding.segment(session.text)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONText?, key: String, record: Record? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, url: base.appending(path: path),
            headers: RequestHeaders.make(
                key: key, apiKey: apiKey, record: record, hasBody: body != nil, extra: headers),
            body: body?.bytes, timeout: timeout
        )
        request.isPathPrivate = path.hasPrefix(Self.sessionPrefix)
        return request
    }
}
