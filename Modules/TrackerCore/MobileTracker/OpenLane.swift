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
    /// - Parameter completion: Told when every lock is free.
    func close(completion: @escaping @Sendable () -> Void) {
        engine.close { [outbox] in outbox.close(completion: completion) }
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
