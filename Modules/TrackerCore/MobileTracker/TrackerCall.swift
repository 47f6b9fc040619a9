package import TrackerModels

/// A tracking call, as every form of it comes down to.
package enum TrackerCall: Hashable, Sendable {
    case track(eventName: String, attributes: JSONText?, metadata: JSONText?)
    case identify(userId: String, profile: JSONText?)
    case set(profile: JSONText)
    case setMetadata(JSONText)
    case screen(name: String, properties: JSONText?)
    case screenDidAppear(name: String, url: String?, properties: JSONText?)
    case updateLocation(LocationData)
    case updateSessionEmail(String)
    case linkSession(String)

    /// What the call is called in a log: an event by its name, anything else by the method's.
    package var name: String {
        switch self {
        case .track(let eventName, _, _): eventName.isEmpty ? "track" : eventName
        case .identify: "identify"
        case .set: "set"
        case .setMetadata: "setMetadata"
        case .screen, .screenDidAppear: "VIEW_PAGE"
        case .updateLocation: "updateLocation"
        case .updateSessionEmail: "updateSessionEmail"
        case .linkSession: "linkSession"
        }
    }
}

/// What a call puts into the outbox.
struct CallContent: Sendable {
    var route: Route
    var body: CallBody
    var sessionMetadata: JSONText?

    /// The body of a record, and whether the session's metadata go into it.
    enum CallBody: Sendable {
        case complete(JSONText)
        case event(JSONText, data: JSONText?)
    }
}

/// Why a call was refused, and a sentence for the log.
struct Refusal: Error, Hashable, Sendable {
    var reason: RefusalReason
    var message: String

    init(_ reason: RefusalReason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension TrackerCall {
    /// Checks the call, and says what it puts into the outbox.
    func content() throws(Refusal) -> CallContent {
        switch self {
        case .track(let eventName, let attributes, let metadata):
            return try event(eventName, [attributes, metadata])
        case .screen(let name, let properties):
            return try view(name, url: name, properties)
        case .screenDidAppear(let name, let url, let properties):
            return try view(name, url: url ?? name, properties)
        case .identify(let userId, let profile):
            guard let user = UserID(userId) else {
                throw Refusal(.invalidUserId, "user_id is required for identify()")
            }
            return CallContent(route: .profile, body: .complete(ProfileBody.identify(user, try object(profile))))
        case .set(let profile):
            return CallContent(route: .profile, body: .complete(ProfileBody.set(try required(profile))))
        case .setMetadata(let metadata):
            let metadata = try required(metadata)
            var body = JSONObjectWriter()
            body.append("metadata", metadata)
            return CallContent(route: .metadata, body: .complete(body.finish()), sessionMetadata: metadata)
        case .updateLocation(let location):
            return CallContent(route: .location, body: .complete(try Self.body(of: location)))
        case .updateSessionEmail(let email):
            guard Self.isEmail(email) else {
                throw Refusal(.invalidValue, "updateSessionEmail(): an email has one @ and no spaces")
            }
            var body = JSONObjectWriter()
            body.append("email", email)
            return CallContent(route: .email, body: .complete(body.finish()))
        case .linkSession(let source):
            guard !source.isEmpty else {
                throw Refusal(.invalidValue, "linkSession(): the source session id is empty")
            }
            var body = JSONObjectWriter()
            body.append("source_session_id", source)
            return CallContent(route: .link, body: .complete(body.finish()))
        }
    }

    private func event(_ name: String, _ data: [JSONText?]) throws(Refusal) -> CallContent {
        guard !name.isBlank else {
            throw Refusal(.invalidEventName, "The event name is empty")
        }
        var objects: [JSONText] = []
        for part in data {
            if let part = try object(part) { objects.append(part) }
        }
        var head = JSONObjectWriter()
        head.append("event_name", name)
        let merged = objects.count == 1 ? objects[0] : objects.isEmpty ? nil : JSONText.merging(objects)
        return CallContent(route: .event, body: .event(head.finish(), data: merged))
    }

    private func view(_ name: String, url: String, _ properties: JSONText?) throws(Refusal) -> CallContent {
        guard !name.isBlank else { throw Refusal(.invalidEventName, "The screen's name is empty") }
        var screen = JSONObjectWriter()
        screen.append("screen", name)
        screen.append("url", url)
        return try event("VIEW_PAGE", [screen.finish(), properties])
    }

    private func object(_ text: JSONText?) throws(Refusal) -> JSONText? {
        guard let text else { return nil }
        return try required(text)
    }

    private func required(_ text: JSONText) throws(Refusal) -> JSONText {
        guard text.kind == .object else {
            throw Refusal(.serialization, "\(name): the value is not a JSON object but of kind \(text.kind)")
        }
        // Text may have been validated with a greater depth.
        guard (try? JSONText(validating: text.bytes)) != nil else {
            throw Refusal(.serialization, "\(name): the value is nested deeper than \(JSONText.maxDepth)")
        }
        return text
    }

    private static func body(of location: LocationData) throws(Refusal) -> JSONText {
        guard location.isValid, let latitude = JSONNumber(location.latitude),
            let longitude = JSONNumber(location.longitude), let accuracy = JSONNumber(location.accuracy)
        else {
            throw Refusal(
                .invalidValue,
                "updateLocation(): latitude is within ±90, longitude within ±180, accuracy at least 0"
            )
        }
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

extension String {
    /// Whether there is nothing but white space in it.
    var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}
