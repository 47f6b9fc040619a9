import TrackerModels

@testable import TrackerCore

/// The calls.
extension ToyClient {
    /// Gives a product stars.
    @discardableResult
    func rate(_ product: String, stars: Int, messageId: CallerKey? = nil) -> CallReceipt {
        runtime.enqueue(ToyCall.rate(product: product, stars: stars), messageId) { $0.checked() }
    }
}
