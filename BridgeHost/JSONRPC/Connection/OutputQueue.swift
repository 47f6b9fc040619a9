import Synchronization

/// What the reading thread, the answering threads and the writing thread of a connection share: what is under way, and
/// what is to be written.
///
/// Its channel does what it decides: wakes the reading thread, and writes.
final class OutputQueue: Sendable {
    private let channel: any OutputChannel
    private let state: Mutex<OutputQueueState>
    private let held: HeldBytes?

    /// - Parameter held: What all connections of a server keep together, if there are several.
    init(channel: any OutputChannel, limits: ConnectionLimits, held: HeldBytes? = nil) {
        self.channel = channel
        self.held = held
        state = Mutex(OutputQueueState(limits: limits, held: held))
    }

    /// A batch that was given up leaves the answers that it has gathered.
    deinit { held?.add(-state.withLock(\.flow.heldBytes)) }

    /// How many bytes the connection keeps.
    var heldBytes: Int { state.withLock(\.flow.heldBytes) }

    /// Changes the state, and counts what the connection keeps after it.
    private func counted<Result: Sendable>(_ body: (inout OutputQueueState) -> Result) -> Result {
        guard let held else { return state.withLock { body(&$0) } }
        let (result, change) = state.withLock { state in
            let before = state.flow.heldBytes
            let result = body(&state)
            return (result, state.flow.heldBytes - before)
        }
        held.add(change)
        return result
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

    var framing: Framing {
        get { state.withLock(\.encoder.framing) }
        set { state.withLock { $0.encoder.framing = newValue } }
    }

    /// Admits a call, if there is room for it.
    ///
    /// - Parameters:
    ///   - bytes: Its length.
    ///   - isInBatch: Whether it belongs to a batch that is under way already. Answers to a batch are read only when
    ///     all its calls were admitted, so that it does not wait for that.
    ///   - parks: Whether, if there is none, the reading thread is to be woken once there is.
    func admit(_ bytes: Int, isInBatch: Bool, parks: Bool) -> Bool {
        counted { $0.admit(bytes, isInBatch: isInBatch, parks: parks) }
    }

    /// Whether nothing is left to do.
    ///
    /// If something is, the reading thread will be woken when it is done.
    func isFinishedOrParks() -> Bool {
        state.withLock { $0.isFinishedOrParks() }
    }

    var isStopped: Bool { state.withLock(\.isStopped) }

    /// Drops what is not written, and all that comes later.
    func close() {
        counted { $0.close() }
    }

    /// Records how much of the input was read and not passed on.
    func recordUnfinished(_ bytes: Int) {
        counted { $0.flow.unfinishedBytes = bytes }
    }

    // MARK: - Any thread

    func stop() {
        state.withLock { $0.isStopped = true }
        channel.wakeReader()
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
    ///   - refuse: Appends what a long answer is replaced by if too much is unread.
    func answer(
        _ bytes: Int, isLate: Bool, gathered: Int = 0, byWriting write: (inout [UInt8]) -> Void,
        orElse refuse: ((inout [UInt8]) -> Void)? = nil
    ) {
        change { state in
            state.flow.answer(bytes, isLate: isLate)
            state.flow.ungather(gathered)
            state.append(byWriting: write, orElse: refuse)
        }
    }

    /// Records that calls are answered, and writes their answers.
    ///
    /// - Parameters:
    ///   - calls: How many.
    ///   - bytes: Their length.
    ///   - answers: As they go out.
    func answer(calls: Int, _ bytes: Int, framed answers: ArraySlice<UInt8>) {
        change { state in
            state.flow.answer(bytes, isLate: false, calls: calls)
            state.append(framed: answers)
        }
    }

    /// Whether the answers to a batch may take so much until the last of them is there.
    func mayGather(_ bytes: Int) -> Bool { state.withLock { $0.flow.mayGather(bytes) } }

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
        let (consequences, first) = counted { state in
            body(&state)
            let consequences = state.consequences()
            let takes = consequences.startsWriting && channel.directBytes > 0
            return (consequences, takes ? state.takePending(atMost: channel.directBytes) : nil)
        }
        if consequences.wakesReader { channel.wakeReader() }
        if consequences.startsWriting { channel.write(first, of: self) }
    }

    // MARK: The thread that writes

    /// Takes all that is to be written; `nil` if there is nothing, and the channel rests.
    func takePending(leaving spare: [UInt8]) -> [UInt8]? { state.withLock { $0.takePending(leaving: spare) } }

    /// Whether there is something to write; if not, the channel rests.
    func goesOnWriting() -> Bool { state.withLock { $0.goesOnWriting() } }

    /// Records that the client has read so much, or that its system keeps it for the client.
    func recordWritten(_ count: Int) {
        change { state in
            state.recordWritten(count)
            state.tellLoss { Notification.lost($0).message }
        }
    }

    /// Records that the client has stopped reading.
    func breakOff() {
        change { $0.breakOff() }
    }
}
