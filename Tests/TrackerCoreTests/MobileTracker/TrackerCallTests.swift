import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("A tracking call")
struct TrackerCallTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var call: TrackerCall
        var reason: RefusalReason
        var testDescription: String { "\(call)" }
    }

    @Test(
        "is refused when it is made if its values are impossible",
        arguments: [
            Row(call: .track(""), reason: .invalidEventName),
            Row(call: .track(" \n\t\u{A0}"), reason: .invalidEventName),
            Row(call: .track("E", .of("[1]")), reason: .serialization),
            Row(call: .track("E", nil, metadata: .of("1")), reason: .serialization),
            Row(call: .screen(" "), reason: .invalidEventName),
            Row(call: .screenDidAppear("", url: "u"), reason: .invalidEventName),
            Row(call: .identify(""), reason: .invalidUserId),
            Row(call: .set(.of("null")), reason: .serialization),
            Row(
                call: .updateLocation(LocationData(latitude: 90.1, longitude: 0, accuracy: 0)), reason: .invalidValue),
            Row(
                call: .updateLocation(LocationData(latitude: 0, longitude: -180.1, accuracy: 0)), reason: .invalidValue),
            Row(call: .updateLocation(LocationData(latitude: 0, longitude: 0, accuracy: -1)), reason: .invalidValue),
            Row(call: .updateLocation(LocationData(latitude: .nan, longitude: 0, accuracy: 0)), reason: .invalidValue),
            Row(
                call: .updateLocation(LocationData(latitude: 0, longitude: 0, accuracy: .infinity)),
                reason: .invalidValue),
            Row(call: .updateSessionEmail("a b@c"), reason: .invalidValue),
            Row(call: .updateSessionEmail("ab"), reason: .invalidValue),
            Row(call: .updateSessionEmail("a@b@c"), reason: .invalidValue),
            Row(call: .linkSession(""), reason: .invalidValue),
        ])
    func refuses(row: Row) {
        #expect {
            try row.call.content()
        } throws: { ($0 as? Refusal)?.reason == row.reason }
    }

    @Test("merges attributes and metadata, whose keys win and keep their place")
    func merges() throws {
        let call = TrackerCall.track("E", .of(#"{"a":1,"b":2}"#), metadata: .of(#"{"c":3,"a":1e400}"#))

        guard case .withSessionMetadata(let body) = try call.content().record.body else {
            Issue.record("an event is expected")
            return
        }

        #expect(body.text.text == #"{"event_name":"E","data":{"a":1e400,"b":2,"c":3}}"#)
    }

    @Test("makes a screen an event whose properties win")
    func views() throws {
        let call = TrackerCall.screenDidAppear("Home", url: "/h", properties: .of(#"{"screen":"X","n":1}"#))

        guard case .withSessionMetadata(let body) = try call.content().record.body else {
            Issue.record("an event is expected")
            return
        }

        #expect(body.text.text == #"{"event_name":"VIEW_PAGE","data":{"screen":"X","url":"/h","n":1}}"#)
    }
}
