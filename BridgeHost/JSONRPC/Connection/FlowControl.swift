/// How much of a connection is under way, and whether more may be read.
struct FlowControl: Sendable {
    private let limits: ConnectionLimits
    /// Calls that are to be answered soon, and their length.
    private(set) var calls = 0
    private(set) var callBytes = 0
    /// Calls that may be answered late, and their length.
    private(set) var lateCalls = 0
    private(set) var lateBytes = 0
    /// How many bytes are written, or are to be, and the client has not read.
    private(set) var unreadBytes = 0
    /// How many bytes of answers wait for the rest of their batch.
    private(set) var gatheredBytes = 0
    /// How many bytes of messages were read that are no calls yet, or calls that wait for room.
    var unfinishedBytes = 0
    private(set) var isPaused = false
    /// What all connections of a server keep together, if there are several.
    private let held: HeldBytes?

    init(limits: ConnectionLimits, held: HeldBytes? = nil) {
        self.limits = limits
        self.held = held
    }

    var isAnswered: Bool { calls == 0 && lateCalls == 0 }

    /// How many bytes calls and answers take.
    private var takenBytes: Int { callBytes + lateBytes + unreadBytes + gatheredBytes }

    /// How many bytes the connection keeps.
    var heldBytes: Int { takenBytes + unfinishedBytes }

    /// Whether notifications are to be left out.
    var isTooFullForNotifications: Bool {
        unreadBytes > limits.maxBytesBeforeNotifications || exceedsShare()
    }

    /// Whether a long answer may be kept until it is read. Calls that were admitted in time have room for theirs.
    func hasRoom(for bytes: Int) -> Bool {
        unreadBytes <= limits.maxUnreadBytes || unreadBytes + bytes <= 2 * limits.maxUnreadBytes
    }

    /// Whether an answer to a part of a batch may be kept until the others are there.
    func mayGather(_ bytes: Int) -> Bool { !exceedsShare(with: bytes) }

    /// Whether it takes more than its share, or a part of that, while the connections of the server keep much together.
    private func exceedsShare(_ part: Int = 1, with more: Int = 0) -> Bool {
        guard let held, held.isCrowded else { return false }
        return takenBytes + more > held.share / part
    }

    mutating func addCall(_ bytes: Int) {
        calls += 1
        callBytes += bytes
    }

    mutating func postpone(_ bytes: Int) {
        calls -= 1
        callBytes -= bytes
        lateCalls += 1
        lateBytes += bytes
    }

    mutating func answer(_ bytes: Int, isLate: Bool, calls count: Int = 1) {
        if isLate {
            lateCalls -= count
            lateBytes -= bytes
        } else {
            calls -= count
            callBytes -= bytes
        }
    }

    mutating func write(_ bytes: Int) { unreadBytes += bytes }

    mutating func read(_ bytes: Int) { unreadBytes -= bytes }

    mutating func discardUnread() { unreadBytes = 0 }

    mutating func gather(_ bytes: Int) { gatheredBytes += bytes }

    mutating func ungather(_ bytes: Int) { gatheredBytes -= bytes }

    /// Decides whether another call may be read.
    ///
    /// Once it may not, it may again when half of what is allowed is free: each pause costs a change of threads.
    ///
    /// - Parameter isInBatch: Whether the call belongs to a batch that is under way. Its answers are read only after
    ///   all its calls were taken, so that these cannot wait for that.
    mutating func admits(isInBatch: Bool) -> Bool {
        let part = isPaused ? 2 : 1
        let isTooBusy =
            calls >= max(1, limits.maxUnansweredCalls / part) || callBytes > limits.maxUnansweredBytes / part
            || lateCalls >= max(1, limits.maxLateCalls / part) || lateBytes > limits.maxUnreadBytes / part
        let isUnread = unreadBytes + gatheredBytes > limits.maxUnreadBytes / part || exceedsShare(part)
        isPaused = isTooBusy || isUnread && !isInBatch
        return !isPaused
    }
}
