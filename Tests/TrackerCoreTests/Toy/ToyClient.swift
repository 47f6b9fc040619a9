import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// The smallest client: ratings, posted to one endpoint.
///
/// It is a fourth client as one would be added to the product: a client, its calls, its settings and their public forms,
/// in four files. Queue, retries, order, breaker, account, diagnostics and shutdown come with the runtime.
final class ToyClient: ControlledClient {
    let runtime: ClientRuntime<ToyModel>

    init(dependencies: Dependencies = .system()) { runtime = ClientRuntime(dependencies, model: ToyModel()) }

    var control: any ClientControl { runtime }

    /// What happens to the ratings, as it happens.
    var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    /// Sets the client up. Calls that were made before are held, in order, until it is ready.
    func initialize(
        shop: String, endpoint: String, options: DeliveryOptions, beforeSend: BeforeSend? = nil
    ) async throws(TrackerError) {
        try await withCheckedContinuation { continuation in
            runtime.initialize(
                { (_) throws(TrackerError) in
                    try ToySettings(shop: shop, endpoint: endpoint, delivery: options, beforeSend: beforeSend)
                }, completion: { continuation.resume(returning: $0) })
        }.get()
    }

    /// Sends what is queued now.
    func flush(timeout: Duration = .seconds(30)) async -> FlushReport { await report(ofFlush: timeout) }

    /// Leaves the user: drops what is queued. Calls are held until the next `initialize`.
    func reset() async {
        await withCheckedContinuation { continuation in
            runtime.submit(.reset(all: true, messageID: nil), messageID: nil) { _ in continuation.resume() }
        }
    }

    /// Sends what can be sent within the time, then closes everything.
    func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }

    /// How things stand.
    func debugInfo() -> JSONObject { runtime.debugInfo }
}
