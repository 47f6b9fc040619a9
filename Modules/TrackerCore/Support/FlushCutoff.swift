import Synchronization

/// Ends a flush before its time, from any thread: the task that waited for it no longer does.
package final class FlushCutoff: Sendable {
    private struct State {
        var isCut = false
        var end: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    init() {}

    func cut() {
        let end = state.withLock { state in
            state.isCut = true
            return state.end
        }
        end?()
    }

    /// Sets how the flush is ended now, instead of what was set before.
    ///
    /// - Parameter end: Called at once if the flush was cut already. It may be called twice.
    func setEnd(_ end: @escaping @Sendable () -> Void) {
        let isCut = state.withLock { state in
            state.end = end
            return state.isCut
        }
        if isCut { end() }
    }

    /// Releases what it holds: the flush is over.
    func forget() { state.withLock { $0.end = nil } }
}
