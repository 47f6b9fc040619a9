import Testing

@testable import TrackerModels

@Suite("The UUID of a message id")
struct NameUUIDTests {
    @Test(
        "of a name is that of RFC 9562, version 5, in the name space of OIDs",
        arguments: [
            ("", "0a68eb57-c88a-5f34-9e9d-27f85e68af4f"), ("order-789", "4bb7b932-d95c-5530-b687-bc3a1ef704e3"),
            ("üüü", "ec18f924-7a1b-58b0-b6e5-cc4247f9b896"),
            (String(repeating: "x", count: 128), "c60138f3-afd7-53d9-989b-2ff09feb1129"),
        ])
    func names(name: String, uuid: String) {
        #expect(NameUUID.text(of: name) == uuid)
    }

    @Test(
        "is the id itself if it is one, else that of its name",
        arguments: [
            ("0E984725-c51c-4bf4-9960-e1c80e27aba0", "0e984725-c51c-4bf4-9960-e1c80e27aba0"),
            ("1764239400250-0e984725-c51c-4bf4-9960-e1c80e27aba0", "31449ebe-e798-586c-b088-341b3fd48e58"),
            ("order-789", "4bb7b932-d95c-5530-b687-bc3a1ef704e3"),
        ])
    func ids(text: String, uuid: String) throws {
        #expect(try #require(MessageID(text)).uuid == uuid)
    }

    @Test("distinguishes ids that end in the same UUID")
    func endings() throws {
        let uuid = "0e984725-c51c-4bf4-9960-e1c80e27aba0"
        let ids = try [
            "a-\(uuid)", "b-\(uuid)", "1-\(uuid)", "2-\(uuid)", "-\(uuid)", "1764239400250-\(uuid)", uuid,
        ].map { try #require(MessageID($0)).uuid }
        #expect(Set(ids).count == 7)
    }
}
