/// The answer to a client's call that is still to be given, as a value: without an object of its own.
package struct OpenAnswer: Sendable {
    /// Of the call; `nil` if nobody reads the answer.
    fileprivate let id: ShortID?
    /// The length of the call.
    fileprivate let byteCount: Int

    init?(id: [UInt8]?, byteCount: Int) {
        let short = id.map(ShortID.init)
        if case .some(nil) = short { return nil }
        self.id = short ?? nil
        self.byteCount = byteCount
    }
}

/// A connection, for those who have taken over replies of its calls.
package struct AnswerLine: Sendable {
    private let queue: OutputQueue
    private let encoder: FrameEncoder

    init(_ queue: OutputQueue) {
        self.queue = queue
        encoder = FrameEncoder(framing: queue.framing)
    }

    /// Appends an answer with a result as it goes out; nothing if nobody reads it.
    ///
    /// - Parameter write: Appends one JSON value, of less than a kilobyte: there is always room for that.
    package func append(_ answer: OpenAnswer, to bytes: inout [UInt8], result write: (inout [UInt8]) -> Void) {
        guard let id = answer.id else { return }
        encoder.append(to: &bytes) { Answer.append(id: id.bytes, to: &$0, result: write) }
    }

    /// Sends answers that were written by ``append(_:to:result:)``.
    package func send(_ answers: ArraySlice<UInt8>, to calls: OpenAnswers) {
        queue.answer(calls: calls.count, calls.byteCount, framed: answers)
    }

    package func succeed(_ answer: OpenAnswer, byWriting write: (inout [UInt8]) -> Void) {
        complete(answer) { Answer.append(id: $0, to: &$1, result: write) }
    }

    package func fail(_ answer: OpenAnswer, with error: RPCError) {
        complete(answer) { Answer.append(error, id: $0, to: &$1) }
    }

    /// Leaves the call without an answer, since the connection ends.
    package func giveUp(_ answer: OpenAnswer) { complete(answer) { _, _ in } }

    private func complete(_ answer: OpenAnswer, writing write: (_ id: [UInt8], inout [UInt8]) -> Void) {
        let id = answer.id?.bytes
        Reply.Destination.connection.answer(answer.byteCount, isLate: false, to: id, queue) { bytes in
            if let id { write(id, &bytes) }
        }
    }
}

/// How many calls are answered together, and how long they were.
package struct OpenAnswers: Sendable {
    package private(set) var count = 0
    fileprivate private(set) var byteCount = 0

    package init() {}

    package mutating func add(_ answer: OpenAnswer) {
        count += 1
        byteCount += answer.byteCount
    }
}

/// The bytes of an id, which is a number or a string of some twenty characters as a rule.
private struct ShortID: Sendable {
    private static let most = 24

    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private let count: UInt8

    /// - Returns: `nil` if it is longer.
    init?(_ id: [UInt8]) {
        guard id.count <= Self.most else { return nil }
        count = UInt8(id.count)
        unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.copyBytes(from: id) }
    }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: words) { unsafe Array($0.prefix(Int(count))) }
    }
}
