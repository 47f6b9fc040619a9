/// Decides what is under way on a connection and what is to be written: a value, without threads.
struct OutputQueueState: Sendable {
    /// Why the reading thread stands still.
    private enum Parking: Sendable {
        case room(isInBatch: Bool)
        case end
    }

    struct Consequences: Hashable, Sendable {
        /// The reading thread can go on.
        var wakesReader = false
        /// There is something to write, and the writing thread rests.
        var startsWriting = false
    }

    /// Room for one usual answer.
    private static let leastCapacity = 256
    /// How long an answer may be for which there is always room: calls are admitted before their answers are known.
    static let shortAnswer = 1_024

    var flow: FlowControl
    var encoder = FrameEncoder(framing: .lines)
    /// How many gatherings are open: nothing is written until they end.
    var holds = 0
    var isStopped = false
    var isResponderDone = false
    /// Framed messages that are not being written yet.
    private var pending: [UInt8] = []
    /// Whether the writing thread is at work, or about to be.
    private var isWriting = false
    /// Whether the client has stopped reading.
    private var isBroken = false
    private var isClosed = false
    private var parking: Parking?
    private var leftOutNotifications = 0

    init(limits: ConnectionLimits, held: HeldBytes? = nil) {
        flow = FlowControl(limits: limits, held: held)
    }

    /// Whether everything is answered and written.
    private var isComplete: Bool {
        isResponderDone && flow.isAnswered && flow.unreadBytes == 0 && leftOutNotifications == 0
    }

    /// Admits a call, if there is room for it.
    ///
    /// - Parameters:
    ///   - bytes: Its length.
    ///   - isInBatch: Whether it belongs to a batch that is under way already.
    ///   - parks: Whether, if there is no room, ``consequences()`` is to tell when there is.
    mutating func admit(_ bytes: Int, isInBatch: Bool, parks: Bool) -> Bool {
        parking = nil
        guard flow.admits(isInBatch: isInBatch) else {
            if parks { parking = .room(isInBatch: isInBatch) }
            return false
        }
        flow.addCall(bytes)
        return true
    }

    /// Whether nothing is left to do; if something is, ``consequences()`` will tell when that changes.
    mutating func isFinishedOrParks() -> Bool {
        parking = isComplete ? nil : .end
        return isComplete
    }

    /// Adds a message to what is to be written.
    ///
    /// - Parameters:
    ///   - write: Appends JSON; nothing is no message.
    ///   - refuse: Appends what is written instead of a long message for which there is no room.
    mutating func append(byWriting write: (inout [UInt8]) -> Void, orElse refuse: ((inout [UInt8]) -> Void)? = nil) {
        guard !isBroken, !isClosed else { return }
        if pending.capacity == 0 { pending.reserveCapacity(Self.leastCapacity) }
        let count = pending.count
        encoder.append(to: &pending, byWriting: write)
        if let refuse, pending.count - count > Self.shortAnswer, !flow.hasRoom(for: pending.count - count) {
            pending.removeSubrange(count...)
            encoder.append(to: &pending, byWriting: refuse)
        }
        flow.write(pending.count - count)
    }

    /// Adds messages that are short, and framed already.
    mutating func append(framed messages: ArraySlice<UInt8>) {
        guard !isBroken, !isClosed else { return }
        pending += messages
        flow.write(messages.count)
    }

    /// Adds a message to what is to be written.
    mutating func append(_ message: [UInt8]) {
        append { $0 += message }
    }

    /// Adds a notification to what is to be written, or counts it if too much is.
    mutating func append(notification: [UInt8]) {
        guard !isBroken, !isClosed else { return }
        guard leftOutNotifications == 0, !flow.isTooFullForNotifications else {
            leftOutNotifications += 1
            return
        }
        append(notification)
    }

    /// Says how many notifications were left out, once there is room for that; from then on they are written again.
    mutating func tellLoss(_ notice: (Int) -> [UInt8]) {
        guard leftOutNotifications > 0, !flow.isTooFullForNotifications else { return }
        let message = notice(leftOutNotifications)
        leftOutNotifications = 0
        append(message)
    }

    /// Takes all that is to be written; `nil` if there is nothing yet, and the writing thread rests.
    mutating func takePending(leaving spare: [UInt8]) -> [UInt8]? {
        guard goesOnWriting() else { return nil }
        let taken = pending
        pending = spare
        return taken
    }

    /// Takes all that is to be written if it is no more than that.
    mutating func takePending(atMost bytes: Int) -> [UInt8]? {
        pending.count <= bytes ? takePending(leaving: []) : nil
    }

    /// Whether there is something to write; if not, the writing thread rests.
    mutating func goesOnWriting() -> Bool {
        isWriting = !pending.isEmpty && holds == 0
        return isWriting
    }

    /// Records that the client has read so much, or that its system keeps it for the client.
    mutating func recordWritten(_ count: Int) {
        guard !isBroken, !isClosed else { return }
        flow.read(count)
    }

    /// Records that the client has stopped reading.
    mutating func breakOff() {
        isBroken = true
        isWriting = false
        pending = []
        leftOutNotifications = 0
        flow.discardUnread()
    }

    /// Drops what is not written, and all that comes later.
    mutating func close() {
        isClosed = true
        pending = []
        flow.discardUnread()
    }

    /// What is to be done after a change.
    mutating func consequences() -> Consequences {
        var result = Consequences()
        if !pending.isEmpty, holds == 0, !isWriting, !isBroken {
            isWriting = true
            result.startsWriting = true
        }
        switch parking {
        case .room(let isInBatch): result.wakesReader = flow.admits(isInBatch: isInBatch)
        case .end: result.wakesReader = isComplete
        case nil: break
        }
        if result.wakesReader { parking = nil }
        return result
    }
}
