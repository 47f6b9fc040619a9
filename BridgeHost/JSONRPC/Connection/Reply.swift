import Synchronization
public import TrackerJSON

/// The answer to one call, to be given once, from any thread.
///
/// A reply that is released without an answer answers with INTERNAL_ERROR. What is given after the first answer, or after the
/// connection's end, is ignored.
public final class Reply: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case open
        case late
        case done
    }

    /// Where an answer goes.
    enum Destination: Sendable {
        case connection
        case batch(Batch, position: Int)
    }

    private let id: [UInt8]?
    private let byteCount: Int
    private let destination: Destination
    private let queue: OutputQueue
    private let state = Atomic(State.open)

    init(id: [UInt8]?, byteCount: Int, destination: Destination, queue: OutputQueue) {
        self.id = id
        self.byteCount = byteCount
        self.destination = destination
        self.queue = queue
    }

    deinit {
        complete(.failure(.internalError("The call was given up without an answer.")))
    }

    /// Whether an answer reaches the client: notifications have none.
    public var isWanted: Bool { id != nil }

    /// Answers with a result.
    public func succeed(with result: JSONText) {
        complete(.success(result))
    }

    /// Answers with an error.
    public func fail(with error: RPCError) {
        complete(.failure(error))
    }

    /// Says that the answer may take long, so that the client's further calls must not wait for it.
    public func mayBeLate() {
        let (isFirst, _) = state.compareExchange(expected: .open, desired: .late, ordering: .acquiringAndReleasing)
        if isFirst { queue.postpone(byteCount) }
    }

    private func complete(_ outcome: @autoclosure () -> Result<JSONText, RPCError>) {
        let before = state.exchange(.done, ordering: .acquiringAndReleasing)
        guard before != .done else { return }
        let answer = id.map { Answer.bytes(outcome(), id: $0) } ?? []
        switch destination {
        case .connection: queue.answer(byteCount, isLate: before == .late, answer: answer)
        case .batch(let batch, let position):
            batch.answer(byteCount, isLate: before == .late, answer: answer, id: id, at: position)
        }
    }
}
