import Dispatch
import Synchronization

/// What the reading thread, the answering threads and the writing thread of a connection share: what is under way, and
/// what is to be written.
///
/// Only the writing thread ever waits for the client to read.
final class OutputQueue: Sendable {
    /// The largest write, so that it is known how far the client has read.
    private static let maxWrite = 256 << 10
    /// The largest empty buffer that is kept.
    private static let maxSpareCapacity = 1 << 20

    private let output: ByteStream
    private let isPipe: Bool
    private let wake: WakePipe
    private let queue = DispatchQueue(label: "JSONRPC.output")
    private let state: Mutex<OutputQueueState>

    init(output: ByteStream, wake: WakePipe, limits: ConnectionLimits) {
        self.output = output
        isPipe = output.isPipe
        self.wake = wake
        state = Mutex(OutputQueueState(limits: limits))
    }

    // MARK: - The reading thread

    /// Keeps answers from being written until ``release()``, so that it is written at once.
    func hold() {
        state.withLock { $0.holds += 1 }
    }

    /// Lets what was gathered be written.
    func release() {
        change { $0.holds -= 1 }
    }

    func use(_ framing: Framing) {
        state.withLock { $0.encoder.framing = framing }
    }

    /// Admits a call, if there is room for it.
    ///
    /// - Parameters:
    ///   - bytes: Its length.
    ///   - isInBatch: Whether it belongs to a batch that is under way already. Answers to a batch are read only when
    ///     all its calls were admitted, so that it does not wait for that.
    ///   - parks: Whether, if there is none, the reading thread is to be woken once there is.
    func admit(_ bytes: Int, isInBatch: Bool, parks: Bool) -> Bool {
        state.withLock { $0.admit(bytes, isInBatch: isInBatch, parks: parks) }
    }

    /// Whether nothing is left to do.
    ///
    /// If something is, the reading thread will be woken when it is done.
    func isFinishedOrParks() -> Bool {
        state.withLock { $0.isFinishedOrParks() }
    }

    /// Whether reading is to stop.
    var isStopped: Bool { state.withLock(\.isStopped) }

    /// Drops what is not written, and all that comes later.
    func close() {
        state.withLock { $0.close() }
    }

    // MARK: - Any thread

    func stop() {
        state.withLock { $0.isStopped = true }
        wake.wake()
    }

    /// Records that the responder has nothing left to do.
    func finishResponder() {
        change { $0.isResponderDone = true }
    }

    /// Records that a call may be answered late.
    func postpone(_ bytes: Int) {
        change { $0.flow.postpone(bytes) }
    }

    /// Records that a call is answered, and writes the answer if one is wanted.
    ///
    /// - Parameters:
    ///   - bytes: The length of the call.
    ///   - isLate: Whether it was postponed.
    ///   - gathered: The bytes given to ``gather(_:for:isLate:)`` that are now part of the answer.
    ///   - write: Appends the answer, without its frame; nothing if none is wanted.
    func answer(_ bytes: Int, isLate: Bool, gathered: Int = 0, byWriting write: (inout [UInt8]) -> Void) {
        change { state in
            state.flow.answer(bytes, isLate: isLate)
            state.flow.ungather(gathered)
            state.append(byWriting: write)
        }
    }

    /// Records that one call of a batch is answered while others are not.
    func gather(_ answerBytes: Int, for bytes: Int, isLate: Bool) {
        change { state in
            state.flow.answer(bytes, isLate: isLate)
            state.flow.gather(answerBytes)
        }
    }

    /// Writes a notification, unless too much is unread already.
    func notify(_ notification: Notification) {
        let message = notification.message
        change { $0.append(notification: message) }
    }

    private func change(_ body: (inout OutputQueueState) -> Void) {
        let (consequences, little) = state.withLock { state in
            body(&state)
            let consequences = state.consequences()
            let mayWrite = consequences.startsWriting && isPipe
            return (consequences, mayWrite ? state.takePending(atMost: ByteStream.pageBytes) : nil)
        }
        if consequences.wakesReader { wake.wake() }
        guard consequences.startsWriting else { return }
        // A little that a pipe has room for needs no other thread. Nobody else writes meanwhile.
        if let little, output.hasRoomForPage {
            guard write(little, in: 0..<little.count), state.withLock({ $0.goesOnWriting() }) else { return }
            return queue.async { self.write([]) }
        }
        queue.async { self.write(little ?? []) }
    }

    // MARK: - The thread that writes

    private func write(_ first: [UInt8]) {
        var bytes = first
        repeat {
            var rest = 0..<bytes.count
            while !rest.isEmpty {
                let piece = rest.prefix(Self.maxWrite)
                guard write(bytes, in: piece) else { return }
                rest = piece.upperBound..<rest.upperBound
            }
        } while takePending(&bytes)
    }

    /// - Returns: Whether the client reads still.
    private func write(_ bytes: [UInt8], in piece: Range<Int>) -> Bool {
        guard output.write(bytes, in: piece) else {
            change { $0.breakOff() }
            return false
        }
        change { state in
            state.flow.read(piece.count)
            state.tellLoss { Notification.lost($0).message }
        }
        return true
    }

    private func takePending(_ bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxSpareCapacity)
        let spare = bytes
        bytes = []
        let taken = state.withLock { $0.takePending(leaving: spare) }
        bytes = taken ?? []
        return taken != nil
    }
}
