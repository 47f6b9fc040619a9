import Testing
import TrackerNetworking

@testable import TrackerCore

@Suite("A queue that grows")
struct QueueGrowthTests {
    /// Feeds a minute and more of a queue, a look a second.
    private static func warnings(
        seconds: Int = 200, _ growth: inout QueueGrowth, queued: (Int) -> Int, delivered: (Int) -> Int = { $0 * 30 }
    ) -> [(second: Int, warning: QueueGrowth.Warning)] {
        (0..<seconds).compactMap { second in
            growth.warning(queued: queued(second), delivered: delivered(second), at: .seconds(Double(second)))
                .map { (second, $0) }
        }
    }

    @Test("is reported after a minute, once, with both rates and advice")
    func grows() throws {
        var growth = QueueGrowth()

        let warnings = Self.warnings(&growth, queued: { 1 + $0 * 70 })

        let told = try #require(warnings.first)
        #expect(warnings.count == 1)
        #expect(told.second == 60)
        #expect(told.warning == QueueGrowth.Warning(accepted: 100, delivered: 30, queued: 4201))
        for part in ["100 events a second", "30 are delivered", "4201 wait", "maxConcurrentRequests"] {
            #expect(told.warning.message.contains(part), "\(told.warning.message)")
        }
    }

    @Test("is reported again after the queue has been empty")
    func toldAgain() {
        var growth = QueueGrowth()
        #expect(Self.warnings(&growth, queued: { 1 + $0 * 70 }).count == 1)
        #expect(growth.warning(queued: 0, delivered: 6000, at: .seconds(300)) == nil)

        #expect(Self.warnings(&growth, queued: { 1 + $0 * 70 }).count == 1)
    }

    @Test(
        "is none when it drains between, stands still, or wavers",
        arguments: [{ 5000 - $0 }, { _ in 5000 }, { 1 + $0 % 60 * 70 }, { $0 % 2 == 0 ? 0 : 5000 }, { 1 + $0 / 10 }]
            as [@Sendable (Int) -> Int])
    func stays(queued: @Sendable (Int) -> Int) {
        var growth = QueueGrowth()

        #expect(Self.warnings(&growth, queued: queued).isEmpty)
    }

    @Test("is an outage where nothing is delivered, or where deliveries fail")
    func outage() {
        var growth = QueueGrowth()
        #expect(Self.warnings(&growth, queued: { 1 + $0 * 70 }, delivered: { _ in 7 }).isEmpty)

        for second in 0..<500 {
            #expect(growth.warning(queued: 1 + second * 70, delivered: second, at: .seconds(Double(second))) == nil)
            if second % 30 == 0 { growth.interrupt() }
        }
    }

    @Test("shows slow rates to a tenth")
    func slowRates() {
        let warning = QueueGrowth.Warning(accepted: 9.96, delivered: 0.25, queued: 200)

        #expect(warning.message.contains("10 events a second come in, 0.3 are delivered"))
    }
}
