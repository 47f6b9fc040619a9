import TrackerModels

@testable import TrackerCore

/// The calls.
extension ToyClient {
    /// Gives a product stars.
    @discardableResult
    func rate(_ product: String, stars: Int, messageId: CallerKey? = nil) -> CallReceipt {
        runtime.enqueue(.rate(product: product, stars: stars), messageId)
    }
}
