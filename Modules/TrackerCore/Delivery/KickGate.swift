import Synchronization

/// Combines many requests to look at a lane into one look.
///
/// Each call of a transaction asks for a look when it is answered. One look after the last answer serves them all. While
/// a request is under way or a failed one waits for its next try, which begins a look anyway, they cost nothing at all.
final class KickGate: Sendable {
    private static let kicked: UInt8 = 1
    private static let gathering: UInt8 = 2
    private static let busy: UInt8 = 4

    private let state = Atomic<UInt8>(0)
    private let look = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets the function that looks. It must begin with ``lower()``.
    func connect(_ look: @escaping @Sendable () -> Void) { self.look.withLock { $0 = look } }

    func kick() {
        if state.bitwiseOr(Self.kicked, ordering: .acquiringAndReleasing).oldValue == 0 { begin() }
    }

    /// Runs `body`, and then looks once for all requests made meanwhile.
    func gather(_ body: () -> Void) {
        state.bitwiseOr(Self.gathering, ordering: .acquiringAndReleasing)
        body()
        let old = state.bitwiseAnd(~Self.gathering, ordering: .acquiringAndReleasing).oldValue
        if old & (Self.kicked | Self.busy) == Self.kicked { begin() }
    }

    /// Marks the beginning of a look: later requests need another one.
    ///
    /// - Returns: Whether there was a request.
    func lower() -> Bool {
        state.bitwiseAnd(~Self.kicked, ordering: .acquiringAndReleasing).oldValue & Self.kicked != 0
    }

    /// Says whether nothing can be sent before an answer comes or a timer fires, with which a look begins.
    func setBusy(_ isBusy: Bool) {
        guard !isBusy else {
            state.bitwiseOr(Self.busy, ordering: .acquiringAndReleasing)
            return
        }
        let old = state.bitwiseAnd(~Self.busy, ordering: .acquiringAndReleasing).oldValue
        // Nobody has begun a look for a request that came meanwhile.
        if old == Self.busy | Self.kicked { begin() }
    }

    private func begin() { look.withLock(\.self)?() }
}
