import Synchronization

/// Has the answers that are given together go out together, each connection's in one write.
final class WriteGathering: Sendable {
    private struct State: Sendable {
        var depth = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Writes what was to be written meanwhile once the closure has ended.
    func gather(_ body: () -> Void) {
        state.withLock { $0.depth += 1 }
        body()
        let waiting = state.withLock { state in
            state.depth -= 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for write in waiting { write() }
    }

    /// Writes now, or at the end of what is gathered.
    func perform(_ write: @escaping @Sendable () -> Void) {
        let isLater = state.withLock { state in
            if state.depth > 0 { state.waiting.append(write) }
            return state.depth > 0
        }
        if !isLater { write() }
    }
}
