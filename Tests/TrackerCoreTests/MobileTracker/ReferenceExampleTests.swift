import Examples
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The examples of the API reference", .serialized)
struct ReferenceExampleTests {
    @Test("compile as they stand, and do what the text says, on the one shared tracker")
    func examples() async throws {
        let fixture = try SessionFixture()
        let tracker = MobileTracker.shared
        let message = await initializing(
            apiUrl: fixture.backend.url, storageDirectory: fixture.directory.path("state")
        ).value
        await tracking()
        await identifying()
        await setting()
        await settingMetadata()
        await viewing()
        let report = await tracker.flush(timeout: .seconds(60))

        #expect(message == "Tracker initialized with session")
        #expect(report.remaining == 0)
        #expect(tracker.brandId == "925")
        let session = #""brand_id":925,"session_id":"S1""#
        let profile = "PUT /v1/customer-profiles/set"
        let expected = [
            ("POST /v2/tracking-session", ""),
            ("POST /v2/tracking-session-data", #"{\#(session),"event_name":"BUTTON_CLICK"}"#),
            (
                "POST /v2/tracking-session-data",
                #"{\#(session),"event_name":"PRODUCT_VIEWED","data":{"product_id":"12345","#
                    + #""product_name":"Blue Widget","price":29.99,"category":"Widgets","in_stock":true}}"#
            ),
            (
                "POST /v2/tracking-session-data",
                #"{\#(session),"event_name":"PURCHASE","data":{"order_id":"ORD-789","total":149.99,"items":"#
                    + #"[{"id":"12345","quantity":2},{"id":"67890","quantity":1}],"#
                    + #""flow_id":"checkout_v2","experiment":"new_checkout"}}"#
            ),
            ("PUT /v2/tracking-session/S1/identify/user123", ""),
            (profile, #"{"user_id":"user123",\#(session)}"#),
            (
                profile,
                #"{"user_id":"user123","email":"user@example.com","name":"John Doe","phone":"+1234567890","#
                    + #""extra":{"plan":"pro","signup_date":"2025-01-15"},\#(session)}"#
            ),
            (
                profile,
                #"{"extra":{"plan":"enterprise","last_login":"2025-11-27","#
                    + #""preferences":{"theme":"dark","language":"en"}},"brand_id":925,"user_id":"user123","session_id":"S1"}"#
            ),
            (
                profile,
                #"{"metadata":{"session_type":"premium","feature_flags":["new_ui","dark_mode"],"#
                    + #""experiment_group":"variant_a"},"brand_id":925,"user_id":"user123","session_id":"S1"}"#
            ),
            (
                "POST /v2/tracking-session-data",
                #"{\#(session),"event_name":"VIEW_PAGE","data":{"session_type":"premium","feature_flags":"#
                    + #"["new_ui","dark_mode"],"experiment_group":"variant_a","screen":"ProductDetails","#
                    + #""product_id":"12345"}}"#
            ),
        ]
        #expect(fixture.requests.map(\.line) == expected.map { $0.0 })
        for (request, (_, body)) in zip(fixture.requests, expected).dropFirst() where !body.isEmpty {
            #expect(request.text == body)
        }

        await leave(fixture)
    }

    /// The rest of the examples, on the tracker as the others left it.
    private func leave(_ fixture: SessionFixture) async {
        let tracker = MobileTracker.shared
        let device = tracker.deviceId

        await dictionaries(
            attributes: ["count": 1, "none": Optional<Int>.none as Any], profileData: ["name": "J"],
            metadata: ["m": [1, 2]])
        _ = await tracker.flush(timeout: .seconds(60))
        #expect(fixture.events.last?.json["data"]?["none"] == .null)
        loggingOut()
        await viewing()
        _ = await tracker.flush(timeout: .seconds(60))
        #expect(fixture.creations.count == 2)
        #expect(tracker.brandId == "925")
        #expect(tracker.deviceId != nil && tracker.deviceId != device)
        #expect(fixture.events.last?.json["session_id"] == "S2")
        #expect(fixture.events.last?.json["data"] == ["screen": "ProductDetails", "product_id": "12345"])
        forgetting()
        _ = await tracker.flush(timeout: .seconds(60))
        #expect(tracker.brandId == nil)

        await tracker.shutdown()
        #expect(
            await nameOfError { try await tracker.initialize(brandId: "", config: referenceConfig) } == "invalidBrandId"
        )
        #expect(
            await nameOfError { try await tracker.initialize(brandId: "925", config: nil) } == "invalidConfiguration")
    }
}
