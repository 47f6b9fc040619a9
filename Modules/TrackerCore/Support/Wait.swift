import Synchronization

/// A task's wait for one answer. The first answer ends it, and later ones have no effect.
final class Wait<Answer: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
        case over
    }

    private let state = Mutex(State.idle)

    /// Calls something that answers later, and waits for that.
    ///
    /// Cancelling the task undoes nothing. It only has `onCancel` called, which may end the wait.
    ///
    /// - Parameters:
    ///   - call: Gets the completion.
    ///   - onCancel: Called if the task is cancelled while it waits, or was before; it may be called before `call`.
    static func answer(
        to call: (@escaping @Sendable (Answer) -> Void) -> Void, onCancel: @escaping @Sendable (Wait) -> Void
    ) async -> Answer {
        let wait = Wait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                call { wait.end(with: $0) }
            }
        } onCancel: {
            onCancel(wait)
        }
    }

    func end(with answer: Answer) {
        let continuation = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            switch state {
            case .idle:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .answered, .over: return nil
            }
        }
        continuation?.resume(returning: answer)
    }

    private func begin(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer = state.withLock { state -> Answer? in
            guard case .answered(let answer) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .over
            return answer
        }
        if let answer { continuation.resume(returning: answer) }
    }
}
