import Synchronization
package import TrackerJSON

/// The answer to one call, to be given once, from any thread.
///
/// A reply that is released without an answer answers with INTERNAL_ERROR. What is given after the first answer, or after the
/// connection's end, is ignored.
package final class Reply: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case open
        case late
        case done
    }

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
        fail(with: .internalError("The call was given up without an answer."))
    }

    package func succeed(with result: JSONText) {
        complete { Answer.bytes(.success(result), id: $0) }
    }

    /// Succeeds with a result that is written straight into the answer.
    ///
    /// - Parameters:
    ///   - capacity: About how many bytes it has.
    ///   - write: Appends one JSON value without white space around it.
    package func succeed(reservingCapacity capacity: Int, byWriting write: (inout [UInt8]) -> Void) {
        complete { Answer.bytes(reservingCapacity: capacity, id: $0, result: write) }
    }

    package func fail(with error: RPCError) {
        complete { Answer.bytes(.failure(error), id: $0) }
    }

    /// Says that the answer may take long, so that the client's further calls must not wait for it.
    package func mayBeLate() {
        let (isFirst, _) = state.compareExchange(expected: .open, desired: .late, ordering: .acquiringAndReleasing)
        if isFirst { queue.postpone(byteCount) }
    }

    /// - Parameter write: Makes the answer to the call with an id.
    private func complete(_ write: (_ id: [UInt8]) -> [UInt8]) {
        let before = state.exchange(.done, ordering: .acquiringAndReleasing)
        guard before != .done else { return }
        let answer = id.map(write) ?? []
        switch destination {
        case .connection: queue.answer(byteCount, isLate: before == .late, answer: answer)
        case .batch(let batch, let position):
            batch.answer(byteCount, isLate: before == .late, answer: answer, id: id, at: position)
        }
    }
}

/// Gathers the answers to calls that came together, and gives them as one array when the last is there.
final class Batch: Sendable {
    private struct State: Sendable {
        /// By the place of the call; empty where there is none, or none yet.
        var answers: [[UInt8]]
        var missing: Int
        var byteCount = 0
    }

    private let queue: OutputQueue
    /// How many bytes the answers may have before further ones are replaced by an error.
    private let maxBytes: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: How many calls there are, at least one.
    ///   - maxBytes: How many bytes the answers may have.
    ///   - queue: What writes the array.
    init(count: Int, maxBytes: Int, queue: OutputQueue) {
        self.queue = queue
        self.maxBytes = maxBytes
        state = Mutex(State(answers: Array(repeating: [], count: count), missing: count))
    }

    /// Takes the answer to one call.
    ///
    /// - Parameters:
    ///   - bytes: The length of the call.
    ///   - isLate: Whether it was postponed.
    ///   - answer: The answer; empty if it is not wanted.
    ///   - id: The call's id.
    ///   - position: The call's place in the batch.
    func answer(_ bytes: Int, isLate: Bool, answer: [UInt8], id: [UInt8]?, at position: Int) {
        let (gathered, finished): (Int, State?) = state.withLock { state in
            let fits = state.byteCount + answer.count <= maxBytes
            let kept =
                fits || answer.isEmpty ? answer : Answer.bytes(.failure(Self.tooLarge), id: id ?? Call.nullID)
            state.answers[position] = kept
            state.byteCount += kept.count
            state.missing -= 1
            return (kept.count, state.missing == 0 ? state : nil)
        }
        guard let finished else { return queue.gather(gathered, for: bytes, isLate: isLate) }
        queue.answer(
            bytes, isLate: isLate, answer: Self.array(finished.answers), gathered: finished.byteCount - gathered
        )
    }

    /// One array of the answers; nothing if there are none.
    private static func array(_ answers: [[UInt8]]) -> [UInt8] {
        let answers = answers.lazy.filter { !$0.isEmpty }
        guard !answers.isEmpty else { return [] }
        return Array("[".utf8) + answers.joined(separator: ",".utf8) + "]".utf8
    }

    private static let tooLarge = RPCError.internalError("The answers to this batch are too long together.")
}
