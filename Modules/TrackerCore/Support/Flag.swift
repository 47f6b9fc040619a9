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
