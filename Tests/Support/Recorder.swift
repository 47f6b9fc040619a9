import Synchronization

/// What happened, in its order: written from any thread, awaited by a test.
public final class Recorder<Element: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<[Element], any Error>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var nextID = 0
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Makes an empty record.
    public init() {}

    /// What was recorded so far.
    public var all: [Element] { state.withLock { $0.elements } }

    /// Adds something.
    public func record(_ element: Element) {
        let (ready, elements) = state.withLock { state -> ([Waiter], [Element]) in
            state.elements.append(element)
            let count = state.elements.count
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return (ready, state.elements)
        }
        for waiter in ready { waiter.continuation.resume(returning: elements) }
    }

    /// Waits until there are that many, and gives all there are then.
    ///
    /// - Throws: ``GuardTimeout`` if there are fewer when the time of ``withGuard(seconds:_:operation:)`` has passed.
    @discardableResult
    public func values(atLeast count: Int) async throws -> [Element] {
        do {
            return try await withGuard("recording \(count) of \(Element.self)") { try await self.wait(for: count) }
        } catch let error as GuardTimeout {
            // On a busy machine the time may pass before a task that could go on has done so.
            let elements = all
            guard elements.count >= count else { throw error }
            return elements
        }
    }

    private func wait(for count: Int) async throws -> [Element] {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<[Element], any Error>? in
                    if state.elements.count >= count { return .success(state.elements) }
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    state.waiters.append(Waiter(id: id, count: count, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                state.cancelled.insert(id)
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
