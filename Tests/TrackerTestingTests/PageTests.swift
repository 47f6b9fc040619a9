import Foundation
import Testing

@Suite("The page about tests")
struct PageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "shows code that is compiled and run here",
        arguments: ["Checkout.swift", "CheckoutTests.swift", "CheckoutCase.swift"])
    func example(_ name: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/Testing.md"), encoding: .utf8)
        let code = try String(
            contentsOf: Self.root.appending(path: "Tests/TrackerTestingTests/Page/\(name)"), encoding: .utf8)

        #expect(page.contains("```swift\n\(code)```"))
    }
}
