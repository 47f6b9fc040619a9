import Synchronization

/// Has an engine look at its lane once for many who ask for it.
///
/// While the calls of one transaction are answered each of them asks, and all are served by one look after the last.
final class KickGate: Sendable {
    private static let kicked: UInt8 = 1
    private static let gathering: UInt8 = 2

    private let state = Atomic<UInt8>(0)
    private let look = Mutex<(@Sendable () -> Void)?>(nil)

    /// Says what a look is; it must begin with ``lower()``.
    func connect(_ look: @escaping @Sendable () -> Void) { self.look.withLock { $0 = look } }

    /// Asks for a look.
    func kick() {
        if state.bitwiseOr(Self.kicked, ordering: .acquiringAndReleasing).oldValue == 0 { begin() }
    }

    /// Runs `body`, and has all who ask meanwhile served by one look afterwards.
    func gather(_ body: () -> Void) {
        state.bitwiseOr(Self.gathering, ordering: .acquiringAndReleasing)
        body()
        let old = state.bitwiseAnd(~Self.gathering, ordering: .acquiringAndReleasing).oldValue
        if old & Self.kicked != 0 { begin() }
    }

    /// Notes that a look begins: who asks from now on needs another.
    func lower() { state.bitwiseAnd(~Self.kicked, ordering: .acquiringAndReleasing) }

    private func begin() { look.withLock(\.self)?() }
}
