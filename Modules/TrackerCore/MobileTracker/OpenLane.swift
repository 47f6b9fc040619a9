import Dispatch
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One opened lane of a client: where its calls go, and who delivers them.
struct OpenLane: Sendable {
    let outbox: any Outbox
    let engine: DeliveryEngine
    let loop: any DeliveryLoop

    /// Stops delivery, then closes what is kept.
    ///
    /// - Parameters:
    ///   - deadline: Until when a request under way may be answered, by the loop's clock; `nil` cancels it.
    ///   - completion: Told when every lock is free.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        engine.close(by: deadline) { [outbox] in outbox.close(completion: completion) }
    }
}

extension OpenLane {
    /// Sends what can be sent within the time, then closes everything and ends the diagnostics.
    ///
    /// - Parameters:
    ///   - timeout: How long the whole may take.
    ///   - completion: Told when every lock is free, at the latest when the time has passed: the disk may stall.
    func shutDown(within timeout: Duration, _ hub: DiagnosticsHub, completion: @escaping @Sendable () -> Void) {
        let epoch = hub.epoch
        let end = Once<Void> { _ in
            hub.close(epoch)
            completion()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { end(()) }
        // A client that has not come so far as to begin sends nothing, and its flush waits for nothing.
        engine.goWithoutSession()
        // The last tenth is for the disk: what has just been delivered is recorded before another process may send it.
        let deadline = loop.now.advanced(by: timeout * 0.9)
        engine.flush(timeout: timeout * 0.8) { _ in close(by: deadline) { end(()) } }
    }
}

/// Something that is told at most once, whoever comes first.
final class Once<Value: Sendable>: Sendable {
    private let isDone = Flag(false)
    private let action: @Sendable (Value) -> Void

    init(_ action: @escaping @Sendable (Value) -> Void) { self.action = action }

    func callAsFunction(_ value: Value) {
        if isDone.raise() { action(value) }
    }
}
