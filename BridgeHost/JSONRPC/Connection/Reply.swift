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

    /// What waits for the answer.
    private enum Caller: Sendable {
        /// A client, which named its call by an id, unless it was a notification.
        case client(id: [UInt8]?, byteCount: Int, Destination, OutputQueue)
        /// Code of this process.
        case function(@Sendable (Result<JSONText, RPCError>) -> Void)
    }

    private let caller: Caller
    private let state = Atomic(State.open)

    init(id: [UInt8]?, byteCount: Int, destination: Destination, queue: OutputQueue) {
        caller = .client(id: id, byteCount: byteCount, destination, queue)
    }

    /// Makes a reply to a call that this process makes itself.
    ///
    /// - Parameter completion: Called once, with the answer.
    package init(to completion: @escaping @Sendable (Result<JSONText, RPCError>) -> Void) {
        caller = .function(completion)
    }

    deinit {
        fail(with: .internalError("The call was given up without an answer."))
    }

    package func succeed(with result: JSONText) { complete(with: .success(result)) }

    /// Succeeds with a result that is written straight into the answer.
    ///
    /// - Parameters:
    ///   - capacity: About how many bytes it has.
    ///   - write: Appends one JSON value without white space around it.
    package func succeed(reservingCapacity capacity: Int, byWriting write: (inout [UInt8]) -> Void) {
        complete {
            var bytes: [UInt8] = []
            write(&bytes)
            return .success(JSONText(accepted: bytes))
        } writing: {
            Answer.bytes(reservingCapacity: capacity, id: $0, result: write)
        }
    }

    package func fail(with error: RPCError) { complete(with: .failure(error)) }

    /// Says that the answer may take long, so that the client's further calls must not wait for it.
    package func mayBeLate() {
        let (isFirst, _) = state.compareExchange(expected: .open, desired: .late, ordering: .acquiringAndReleasing)
        if isFirst, case .client(_, let byteCount, _, let queue) = caller { queue.postpone(byteCount) }
    }

    private func complete(with result: Result<JSONText, RPCError>) {
        complete {
            result
        } writing: {
            Answer.bytes(result, id: $0)
        }
    }

    /// - Parameters:
    ///   - result: Makes the answer as a value.
    ///   - write: Makes it as a message, to the call with an id.
    private func complete(
        _ result: () -> Result<JSONText, RPCError>, writing write: (_ id: [UInt8]) -> [UInt8]
    ) {
        let before = state.exchange(.done, ordering: .acquiringAndReleasing)
        guard before != .done else { return }
        switch caller {
        case .function(let completion): completion(result())
        case .client(let id, let byteCount, let destination, let queue):
            let answer = id.map(write) ?? []
            destination.take(answer, to: id, byteCount, isLate: before == .late, queue)
        }
    }
}

extension Reply.Destination {
    /// Takes the answer to a call of so many bytes.
    fileprivate func take(_ answer: [UInt8], to id: [UInt8]?, _ byteCount: Int, isLate: Bool, _ queue: OutputQueue) {
        switch self {
        case .connection: queue.answer(byteCount, isLate: isLate, answer: answer)
        case .batch(let batch, let position):
            batch.answer(byteCount, isLate: isLate, answer: answer, id: id, at: position)
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
