import Synchronization

/// A truth that several threads read and set.
final class Flag: Sendable {
    private let storage: Atomic<Bool>

    init(_ value: Bool) { storage = Atomic(value) }

    var value: Bool { storage.load(ordering: .acquiring) }

    func set(_ value: Bool) { storage.store(value, ordering: .releasing) }

    /// Sets it and tells whether that changed it.
    func raise() -> Bool { !storage.exchange(true, ordering: .acquiringAndReleasing) }
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
