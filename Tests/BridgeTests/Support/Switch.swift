import Synchronization

/// Something that is turned on once.
final class Switch: Sendable {
    private let state = Atomic(false)

    var isOn: Bool { state.load(ordering: .acquiring) }

    func turnOn() { state.store(true, ordering: .releasing) }
}
