import Synchronization
package import TrackerJSON

/// The answer to one call, to be given once, from any thread.
///
/// A reply that is released without an answer, and was not given up, answers with INTERNAL_ERROR. What is given after the
/// first answer, or after the connection's end, is ignored.
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

    /// Whether anybody reads the answer: the call is no notification.
    var isAwaited: Bool {
        switch caller {
        case .client(let id, _, _, _): id != nil
        case .function: true
        }
    }

    /// Takes the call over: this reply is done, and the call is to be answered over the line.
    ///
    /// - Parameter line: The line of the connection; made here if there is none yet.
    /// - Returns: `nil` if the call is to be answered by this reply: it came in a batch, has a long id, may be answered
    ///   late, or is code's of this process.
    package func takeOver(_ line: inout AnswerLine?) -> OpenAnswer? {
        guard case .client(let id, let byteCount, .connection, let queue) = caller,
            let answer = OpenAnswer(id: id, byteCount: byteCount),
            state.compareExchange(expected: .open, desired: .done, ordering: .acquiringAndReleasing).exchanged
        else { return nil }
        if line == nil { line = AnswerLine(queue) }
        return answer
    }

    package func succeed(with result: JSONText) { complete(with: .success(result)) }

    /// Succeeds with a result that is written straight into what goes out.
    ///
    /// - Parameter write: Appends one JSON value without white space around it. Others that answer wait for it.
    package func succeed(byWriting write: (inout [UInt8]) -> Void) {
        complete {
            var bytes: [UInt8] = []
            write(&bytes)
            return .success(JSONText(accepted: bytes))
        } writing: { id, bytes in
            Answer.append(id: id, to: &bytes, result: write)
        }
    }

    package func fail(with error: RPCError) { complete(with: .failure(error)) }

    /// Leaves the call without an answer, since the connection ends: its client may make it again on the next one.
    ///
    /// - Parameter error: What code of this process gets.
    package func giveUp(_ error: RPCError) {
        complete {
            .failure(error)
        } writing: { _, _ in
        }
    }

    /// Says that the answer may take long, so that the client's further calls must not wait for it.
    package func mayBeLate() {
        let (isFirst, _) = state.compareExchange(expected: .open, desired: .late, ordering: .acquiringAndReleasing)
        if isFirst, case .client(_, let byteCount, _, let queue) = caller { queue.postpone(byteCount) }
    }

    private func complete(with result: Result<JSONText, RPCError>) {
        complete {
            result
        } writing: { id, bytes in
            switch result {
            case .success(let text): Answer.append(id: id, to: &bytes) { $0 += text.bytes }
            case .failure(let error): Answer.append(error, id: id, to: &bytes)
            }
        }
    }

    /// - Parameters:
    ///   - result: Makes the answer as a value.
    ///   - write: Appends it as a message, to the call with an id.
    private func complete(
        _ result: () -> Result<JSONText, RPCError>, writing write: (_ id: [UInt8], inout [UInt8]) -> Void
    ) {
        let before = state.exchange(.done, ordering: .acquiringAndReleasing)
        guard before != .done else { return }
        switch caller {
        case .function(let completion): completion(result())
        case .client(let id, let byteCount, let destination, let queue):
            destination.answer(byteCount, isLate: before == .late, to: id, queue) { bytes in
                if let id { write(id, &bytes) }
            }
        }
    }
}

extension Reply.Destination {
    /// Answers a call of so many bytes.
    ///
    /// - Parameter write: Appends the answer; nothing if none is wanted.
    func answer(
        _ byteCount: Int, isLate: Bool, to id: [UInt8]?, _ queue: OutputQueue, byWriting write: (inout [UInt8]) -> Void
    ) {
        switch self {
        case .connection:
            queue.answer(byteCount, isLate: isLate, byWriting: write) { bytes in
                Answer.append(.tooMuchUnread, id: id ?? Call.nullID, to: &bytes)
            }
        case .batch(let batch, let position):
            var answer: [UInt8] = []
            write(&answer)
            batch.answer(byteCount, isLate: isLate, answer: answer, id: id, at: position)
        }
    }
}
