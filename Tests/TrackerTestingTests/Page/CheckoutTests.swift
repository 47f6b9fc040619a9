import Testing
import TrackerTesting

@Test func anOrderIsTracked() async throws {
    let test = TestTracker()

    checkOut(Cart(total: 149.99), of: "user-1", reportingTo: test.analytics)

    try await test.expect("Order Completed", ["total": 149.99], userId: "user-1", count: 1)
}
