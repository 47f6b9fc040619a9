import Testing
import TrackerModels

@testable import TrackerTesting

@Suite("CallExpectation")
struct CallExpectationTests {
    private static let order: JSONObject = [
        "total": 149.99, "items": [["sku": "A-1", "price": 9], ["sku": "B-2", "price": 3]], "paid": true,
        "address": ["city": "Oslo", "zip": nil],
    ]
    private static let calls = [
        call("Order Completed", order, nil), call("Order Completed", ["total": 99], nil),
        call("Signed Up", [:], .dropped(.tooLarge)),
    ]

    private static func call(_ name: String, _ properties: JSONObject, _ outcome: TrackOutcome?) -> RecordedCall {
        let call = OutgoingCall(method: "track", name: name, userId: "user-1", properties: properties)
        var recorded = RecordedCall(call, of: .analytics)
        if let outcome { recorded.settle(call, outcome, event: nil) }
        return recorded
    }

    @Test(
        "is met by calls that have more than was asked for",
        arguments: [
            ([:], 2), (["total": 149.99], 1), (["total": 1.4999e2], 1), (["address": ["city": "Oslo"]], 1),
            (["items": [["sku": "A-1"], ["sku": "B-2"]]], 1), (["address": ["zip": nil]], 1),
        ] as [(JSONObject, Int)])
    func met(_ properties: JSONObject, _ count: Int) {
        let expectation = CallExpectation("Order Completed", properties, count: count)
        #expect(expectation.matches(in: Self.calls).count == count)
        #expect(expectation.failure(in: Self.calls) == nil)
    }

    @Test(
        "compares numbers by their value, to the last digit",
        arguments: [
            ("1", "1.0", true), ("1e0", "1.0", true), ("1200", "1.2E+3", true), ("-0.0", "0", true),
            ("1e400", "10e399", true), ("1e400", "1e401", false), ("1", "-1", false),
            ("18446744073709551615", "18446744073709551616", false),
            ("0.1", "0.1000000000000000055511151231257827", false),
        ])
    func numbers(wanted: String, given: String, isMet: Bool) throws {
        let (wanted, given) = (try #require(JSONNumber(wanted)), try #require(JSONNumber(given)))
        let expectation = CallExpectation("A", ["v": .number(wanted)])

        #expect(expectation.matches(in: [Self.call("A", ["v": .number(given)], nil)]).isEmpty != isMet)
    }

    @Test(
        "says what was expected, which call came nearest, and what of it differs",
        arguments: [
            (
                CallExpectation("Order Completed", ["total": 149, "paid": true]),
                """
                Expected a call "Order Completed" with {"total":149,"paid":true}, and there was none.
                The nearest was: analytics.track "Order Completed" {"total":149.99,"items":[{"sku":"A-1","price":9},{"sku":"B-2","price":3}],"paid":true,"address":{"city":"Oslo","zip":null}}
                  properties.total is 149.99; expected 149.
                """
            ),
            (
                CallExpectation("Order Completed", ["total": 99], members: ["userId": "user-2"]),
                """
                Expected a call "Order Completed" with {"total":99} and userId "user-2", and there was none.
                The nearest was: analytics.track "Order Completed" {"total":99}
                  userId is "user-1"; expected "user-2".
                """
            ),
            (
                CallExpectation("Order Complted"),
                """
                Expected a call "Order Complted", and there was none.
                The nearest was: analytics.track "Order Completed" {"total":99}
                  Its name is "Order Completed".
                """
            ),
            (
                CallExpectation("Signed Up"),
                """
                Expected a call "Signed Up", and there was none.
                The nearest was: analytics.track "Signed Up" {}
                  It was dropped: TOO_LARGE.
                """
            ),
            (
                CallExpectation(
                    "Signed Up", members: ["userId": "user-2", "client": "analytics", "outcome": ["reason": "PLAN"]]),
                """
                Expected a call "Signed Up" with userId "user-2" and client "analytics", dropped as PLAN, and there was none.
                The nearest was: analytics.track "Signed Up" {}
                  userId is "user-1"; expected "user-2".
                  outcome.reason is "TOO_LARGE"; expected "PLAN".
                """
            ),
            (
                CallExpectation("Logout"),
                """
                Expected a call "Logout", and there was none.
                The calls were: "Order Completed", "Signed Up".
                """
            ),
            (
                CallExpectation("Order Completed", ["total": 99], count: 2),
                """
                Expected 2 calls "Order Completed" with {"total":99}, and there was 1.
                  analytics.track "Order Completed" {"total":99}
                """
            ),
            (
                CallExpectation("Order Completed", ["total": 99], count: 0),
                """
                Expected no call "Order Completed" with {"total":99}, and there was 1.
                  analytics.track "Order Completed" {"total":99}
                """
            ),
            (
                CallExpectation(
                    "Order Completed", ["items": [["sku": "A-2"], ["sku": "B-2", "tax": 1]], "address": "Oslo"]),
                """
                Expected a call "Order Completed" with {"items":[{"sku":"A-2"},{"sku":"B-2","tax":1}],"address":"Oslo"}, and there was none.
                The nearest was: analytics.track "Order Completed" {"total":99}
                  properties.items is missing; expected [{"sku":"A-2"},{"sku":"B-2","tax":1}].
                  properties.address is missing; expected "Oslo".
                """
            ),
        ])
    func failures(_ expectation: CallExpectation, _ text: String) {
        #expect(expectation.failure(in: Self.calls) == text)
    }

    @Test("says so if no call was made")
    func nothing() {
        #expect(
            CallExpectation("A").failure(in: []) == "Expected a call \"A\", and there was none.\nNo call was made.")
    }

    @Test("is met by a dropped call where that is expected")
    func dropped() {
        let members: JSONObject = ["outcome": ["reason": "TOO_LARGE"]]
        #expect(CallExpectation("Signed Up", members: members).failure(in: Self.calls) == nil)
    }
}
