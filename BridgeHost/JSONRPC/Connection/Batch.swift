import Synchronization

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
        let mayBeKept = queue.mayGather(answer.count)
        let (gathered, finished): (Int, State?) = state.withLock { state in
            let fits = mayBeKept && state.byteCount + answer.count <= maxBytes
            var kept = answer
            if !fits, !answer.isEmpty {
                kept = []
                Answer.append(Self.tooLarge, id: id ?? Call.nullID, to: &kept)
            }
            state.answers[position] = kept
            state.byteCount += kept.count
            state.missing -= 1
            return (kept.count, state.missing == 0 ? state : nil)
        }
        guard let finished else { return queue.gather(gathered, for: bytes, isLate: isLate) }
        let answers = Self.array(finished.answers)
        queue.answer(bytes, isLate: isLate, gathered: finished.byteCount - gathered) { $0 += answers }
    }

    /// One array of the answers; nothing if there are none.
    private static func array(_ answers: [[UInt8]]) -> [UInt8] {
        let answers = answers.lazy.filter { !$0.isEmpty }
        guard !answers.isEmpty else { return [] }
        var batch = Array("[".utf8)
        batch += answers.joined(separator: ",".utf8)
        batch += "]".utf8
        return batch
    }

    private static let tooLarge = RPCError.internalError("The answers to this batch are too long together.")
}
