import TrackerModels
import TrackerStorage

/// A session tracker's call that has been checked.
struct CallContent: Sendable {
    let record: Draft.Content
    /// The URL of the screen that the call says is shown, if it says so.
    var shownURL: String?
    /// The session of another site that the call continues; the record links it.
    var continues: SessionID?

    init(_ route: Route, _ body: Draft.Body, sessionMetadata: JSONText? = nil) {
        record = Draft.Content(route, body, sessionMetadata: sessionMetadata)
    }
}

extension TrackerCall {
    func checked() -> Result<CallContent, Refusal> {
        do throws(Refusal) { return .success(try content()) } catch { return .failure(error) }
    }

    /// Checks the call, and says what it puts into the outbox.
    func content() throws(Refusal) -> CallContent {
        switch self {
        case .track(let eventName, let attributes, let metadata):
            return try event(eventName, attributes, metadata)
        case .screen(let name, let properties):
            return try view(name, url: name, properties)
        case .screenDidAppear(let name, let url, let properties):
            return try view(name, url: url ?? name, properties, shownURL: url ?? name)
        case .identify(let userId, let profile):
            guard let user = UserID(userId) else {
                throw Refusal(.invalidUserId)
            }
            return CallContent(.profile, .complete(ProfileBody.identify(user, try profile?.checked())))
        case .set(let profile):
            return CallContent(.profile, .complete(ProfileBody.set(try profile.checked())))
        case .setMetadata(let metadata):
            let metadata = try metadata.checked()
            var body = JSONObjectWriter()
            body.append("metadata", metadata)
            return CallContent(.metadata, .complete(body.finish()), sessionMetadata: metadata)
        case .updateLocation(let location):
            return CallContent(.location, .complete(try Self.body(of: location)))
        case .updateSessionEmail(let email):
            guard Self.isEmail(email) else { throw .value(.email) }
            var body = JSONObjectWriter()
            body.append("email", email)
            return CallContent(.email, .complete(body.finish()))
        case .continueSession(let url):
            guard let session = SessionLink(url).session.flatMap({ SessionID($0) }) else {
                throw .value(.sessionInURL)
            }
            var content = Self.link(session.text)
            content.continues = session
            return content
        case .linkSession(let source):
            guard !source.isEmpty else { throw .value(.sourceSession) }
            return Self.link(source)
        }
    }

    private static func link(_ source: String) -> CallContent {
        var body = JSONObjectWriter()
        body.append("source_session_id", source)
        return CallContent(.link, .complete(body.finish()))
    }

    /// An event whose data are both objects in one; the second wins.
    private func event(
        _ name: String, _ first: Properties?, _ second: Properties?
    ) throws(Refusal) -> CallContent {
        guard !name.isBlank else { throw Refusal(.invalidEventName) }
        let (first, second) = (try first?.checked(), try second?.checked())
        // Room for a character or two that must be escaped, for the names of the members and for what is between them.
        var head = JSONObjectWriter(
            reservingCapacity: name.utf8.count + (first?.byteCount ?? 0) + (second?.byteCount ?? 0) + 40)
        head.append("event_name", name)
        return CallContent(.event, .withSessionMetadata(EventBody(head, data: first, second)))
    }

    private func view(
        _ name: String, url: String, _ properties: Properties?, shownURL: String? = nil
    ) throws(Refusal) -> CallContent {
        guard !name.isBlank else { throw Refusal(.invalidEventName) }
        var screen = JSONObjectWriter()
        screen.append("screen", name)
        screen.append("url", url)
        var content = try event("VIEW_PAGE", Properties(accepted: screen.finish()), properties)
        content.shownURL = shownURL
        return content
    }

    private static func body(of location: LocationData) throws(Refusal) -> JSONText {
        guard location.isValid, let latitude = JSONNumber(location.latitude),
            let longitude = JSONNumber(location.longitude), let accuracy = JSONNumber(location.accuracy)
        else { throw .value(.location) }
        var body = JSONObjectWriter()
        body.append("latitude", latitude)
        body.append("longitude", longitude)
        body.append("accuracy", accuracy)
        return body.finish()
    }

    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F }
    }
}
