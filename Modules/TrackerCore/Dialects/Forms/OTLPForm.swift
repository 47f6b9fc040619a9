import TrackerModels
import TrackerNetworking

/// OpenTelemetry logs over HTTP in JSON (OTLP 1.x, "OTLP/HTTP"; Logs Data Model, "EventName").
///
/// The specification names the answers that may be repeated: 429, 502, 503 and 504. It says how many records a server has
/// refused, but not which, and forbids to repeat any of them: all of such a request are refused.
struct OTLPForm: Form {
    let app: AppInfo
    /// Sent as a bearer token; `nil` if the program gives an `Authorization` of its own.
    let key: Secret?

    var paths: [String] { [Self.path] }
    var limits: FormLimits { FormLimits(records: 10_000, bytes: 4_000_000) }
    var headers: [HTTPHeaders.Field] { key.map { [.bearerAuthorization($0)] } ?? [] }

    var refusalIn2xx: String { "and says that it has rejected records of the request" }

    private static let path = "/v1/logs"
    private static let uid = "log.record.uid"

    func envelope(of _: String, at _: Timestamp) -> (opening: String, closing: String) {
        var resource = OTLPAttributes()
        resource.append("service.name", app.name ?? "unknown_service")
        if let version = app.version { resource.append("service.version", version) }
        if let namespace = app.namespace { resource.append("service.namespace", namespace) }
        resource.append("telemetry.sdk.name", ProductVersion.product)
        resource.append("telemetry.sdk.language", "swift")
        resource.append("telemetry.sdk.version", ProductVersion.current)
        let scope = #"{"name":"\#(ProductVersion.product)","version":"\#(ProductVersion.current)"}"#
        return (
            #"{"resourceLogs":[{"resource":{"attributes":\#(resource.finish())},"scopeLogs":[{"scope":\#(scope),"logRecords":["#,
            "]}]}]}"
        )
    }

    func formed(_ event: StoredEvent) throws(Inexpressible) -> FormedEvent {
        var text = JSONObjectWriter(reservingCapacity: 2 * (event.values.byteCount + event.context.byteCount) + 512)
        if let time = Self.nanoseconds(event.time) { text.append("timeUnixNano", time) }
        if let time = Self.nanoseconds(event.occurredAt) { text.append("observedTimeUnixNano", time) }
        text.append("eventName", event.name ?? JSONText(event.kind.rawValue))
        text.append("attributes", try attributes(of: event))
        return FormedEvent(path: Self.path, events: [text.finish()])
    }

    /// The values as the caller gave them; what says which call of whom it was is the client's, and no key comes twice.
    private func attributes(of event: StoredEvent) throws(Inexpressible) -> JSONText {
        var own: [(String, JSONText)] = [
            (Self.uid, JSONText(event.messageID.text)), ("mobile_tracker.type", JSONText(event.kind.rawValue)),
        ]
        if let user = event.userID { own.append(("user.id", user)) }
        if let anonymous = event.anonymousID { own.append(("app.installation.id", anonymous)) }
        if let group = event.groupID { own.append(("mobile_tracker.group.id", group)) }
        if event.kind == .alias { own.append(("mobile_tracker.previous.id", try event.previous())) }
        if Self.nanoseconds(event.time) == nil {
            own.append(("mobile_tracker.timestamp", JSONText(event.time.description)))
        }
        own.append(("mobile_tracker.context", event.context))
        var attributes = OTLPAttributes()
        attributes.append(membersOf: event.values.removing(own.map(\.0)))
        for (name, value) in own { attributes.append(name, JSONValue(value)) }
        return attributes.finish()
    }

    /// Whole numbers of 64 bits are text in the JSON of Protocol Buffers.
    ///
    /// - Returns: `nil` for a time that they cannot hold, before 1970 or after 2554. It is left out: a receiver would refuse
    ///   the whole request, and takes the other time instead.
    private static func nanoseconds(_ time: Timestamp) -> String? {
        guard (0...Int64(UInt64.max / 1_000_000)).contains(time.milliseconds) else { return nil }
        return "\(UInt64(time.milliseconds) * 1_000_000)"
    }

    func meaning(of answer: HTTPResponse, to events: () -> [JSONText]) -> FormAnswer? {
        switch answer.status {
        case 200..<300:
            guard answer.body.count > 2, let rejected = answer.json?["partialSuccess"]?["rejectedLogRecords"],
                rejected.intValue ?? rejected.stringValue.flatMap({ Int64($0) }) ?? 0 > 0
            else { return nil }
            return .refused(Set(events().indices), others: .wait)
        case 429, 502, 503, 504, 300..<400: return nil
        // "All other 4xx or 5xx response status codes MUST NOT be retried." Halves would be as many more requests.
        case 500..<600: return .refused(Set(events().indices), others: .wait)
        default: return nil
        }
    }
}

/// Attributes as OTLP has them: a list of keys and values, each with its type.
///
/// Readers of Protocol Buffers take 100 messages in one another, and an object in an object takes three: what lies deeper
/// than ``maxLevels`` is text in JSON.
struct OTLPAttributes {
    private static let maxLevels = 24

    private var bytes = [UInt8(ascii: "[")]

    mutating func append(_ key: String, _ text: String) { append(key, .string(text)) }

    mutating func append(_ key: String, _ value: JSONValue) { Self.append(key, value, level: 0, to: &bytes) }

    mutating func append(membersOf object: JSONText) {
        guard case .object(let object) = JSONValue(object) else { return }
        for (key, value) in object { append(key, value) }
    }

    consuming func finish() -> JSONText {
        bytes.append(UInt8(ascii: "]"))
        return JSONText(accepted: bytes)
    }

    private static func append(_ key: String, _ value: JSONValue, level: Int, to bytes: inout [UInt8]) {
        if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
        bytes += #"{"key":"#.utf8
        JSONEscape.append(key, to: &bytes)
        bytes += #","value":"#.utf8
        append(value, level: level, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// A value with its type. Null is a value without one.
    private static func append(_ value: JSONValue, level: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        switch value {
        case .array where level == maxLevels, .object where level == maxLevels:
            bytes += #""stringValue":"#.utf8
            JSONEscape.append(value.description, to: &bytes)
        case .null: break
        case .bool(let value): bytes += #""boolValue":\#(value)"#.utf8
        case .number(let number): bytes += Self.member(number).utf8
        case .string(let text):
            bytes += #""stringValue":"#.utf8
            JSONEscape.append(text, to: &bytes)
        case .array(let elements):
            bytes += #""arrayValue":{"values":["#.utf8
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, level: level + 1, to: &bytes)
            }
            bytes += "]}".utf8
        case .object(let object):
            bytes += #""kvlistValue":{"values":["#.utf8
            for (key, value) in object { append(key, value, level: level + 1, to: &bytes) }
            bytes += "]}".utf8
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// A number keeps its spelling. What no double holds is text, since a receiver would refuse the whole request.
    private static func member(_ number: JSONNumber) -> String {
        if Int64(number.text) != nil, number.text != "-0" { return #""intValue":"\#(number.text)""# }
        return number.doubleValue == nil ? #""stringValue":"\#(number.text)""# : #""doubleValue":\#(number.text)"#
    }
}
