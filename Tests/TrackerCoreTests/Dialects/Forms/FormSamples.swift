import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

extension Record {
    /// An event of an analytics client as it is stored: of its own user, with further members.
    static func analytics(
        _ number: Int64, _ type: String = "track", _ members: JSONObject = ["event": "E", "userId": "user-1"],
        messageID: String? = nil
    ) -> Record {
        var body: JSONObject = ["type": .string(type)]
        for (key, value) in members { body[key] = value }
        body["timestamp"] = "2025-11-27T10:30:00.250Z"
        body["messageId"] = .string(messageID ?? "m\(number)")
        var record = Record.sample(number, route: .batch, body: "\(JSONValue(body))")
        record.messageID = .of(messageID ?? "m\(number)")
        return record
    }
}

/// The forms, as options make them.
enum Forms {
    static let all: [InitOptions.API] = InitOptions.API.allCases.filter { $0 != .metaRouter }

    static func form(_ api: InitOptions.API, headers: [String: String] = [:]) -> any Form {
        let options = InitOptions(app: AppInfo(name: "Shop", version: "1.2.3"), api: api)
        return api.form(options, key: Secret("key-1234"), headers: ExtraHeaders(headers))
            ?? SegmentForm(key: Secret(""))
    }

    static func dialect(
        _ api: InitOptions.API, maxRecords: Int = 100, maxBytes: Int = 475_000
    ) throws -> GroupDialect {
        .batches(
            host: try BaseURL("https://in.example.com/base"), writeKey: Secret("key-1234"), timeout: .seconds(30),
            schedule: .atOnce, maxRecords: maxRecords, maxBytes: maxBytes, form: form(api))
    }

    /// What one event becomes.
    static func events(_ api: InitOptions.API, _ record: Record) throws -> [JSONValue] {
        let event = try #require(StoredEvent(record))
        return try form(api).formed(event).events.map { JSONValue($0) }
    }
}

extension Plan {
    /// The body as a tree.
    var json: JSONValue { (try? JSONText(validating: request.body ?? [])).map { JSONValue($0) } ?? .null }
}
