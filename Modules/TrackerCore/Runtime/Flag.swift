import Synchronization

/// A Boolean that several threads read and set.
final class Flag: Sendable {
    private let storage: Atomic<Bool>

    init(_ value: Bool) { storage = Atomic(value) }

    var value: Bool { storage.load(ordering: .acquiring) }

    func set(_ value: Bool) { storage.store(value, ordering: .releasing) }

    /// Sets it to `true`, and returns whether it was `false` before.
    func raise() -> Bool { !storage.exchange(true, ordering: .acquiringAndReleasing) }
}
