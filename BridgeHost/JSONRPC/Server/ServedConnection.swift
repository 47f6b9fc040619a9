/// One client of a server; used by the server's loop alone.
final class ServedConnection {
    let number: Int
    let channel: SocketChannel
    let queue: OutputQueue
    let responder: any Responder
    var intake: CallIntake
    /// What the loop waits for.
    var interest: DescriptorPoll.Interest = .reading
    /// Whether a piece of its input waits for room.
    var isPaused = false
    /// Whether its input has ended, or it reads no more.
    var isEnding = false
    /// Whether the other side neither reads nor writes. What it has written may still be in its socket.
    var isGone = false
    /// When it ends at the latest; known once it is ending, or the other side is gone.
    var deadline: ContinuousClock.Instant?
    /// Whether the responder knows that no further call comes.
    var isResponderEnding = false
    /// How much of messages that are no calls yet it was last seen to keep.
    var unfinishedBytes = 0
    var timers: [(due: ContinuousClock.Instant, work: @Sendable () -> Void)] = []

    init(number: Int, channel: SocketChannel, queue: OutputQueue, responder: any Responder, limits: ConnectionLimits) {
        self.number = number
        self.channel = channel
        self.queue = queue
        self.responder = responder
        intake = CallIntake(limits: limits, queue: queue, responder: responder)
    }

    /// When the loop has to look at it although nothing happens.
    var wakesAt: ContinuousClock.Instant? {
        timers.reduce(deadline) { earliest, timer in min(earliest ?? timer.due, timer.due) }
    }

    /// Takes the work whose time has come.
    ///
    /// - Parameter now: `nil`: no other time comes.
    func takeDue(at now: ContinuousClock.Instant?) -> [@Sendable () -> Void] {
        let isDue = { (due: ContinuousClock.Instant) in now.map { due <= $0 } ?? true }
        let due = timers.filter { isDue($0.due) }.map(\.work)
        timers.removeAll { isDue($0.due) }
        return due
    }
}
