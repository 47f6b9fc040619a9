/// What the reading thread of a connection does.
struct ConnectionReader {
    private static let bufferSize = 256 << 10

    private let input: ByteStream
    private let wake: WakePipe
    private let limits: ConnectionLimits
    private let queue: OutputQueue
    private let responder: any Responder
    private var intake: CallIntake
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// When everything must be over; known once the end has begun.
    private var deadline: ContinuousClock.Instant?
    private var isHungUp = false
    private var isOutOfTime = false

    init(
        input: ByteStream, wake: WakePipe, limits: ConnectionLimits, queue: OutputQueue, responder: any Responder
    ) {
        self.input = input
        self.wake = wake
        self.limits = limits
        self.queue = queue
        self.responder = responder
        intake = CallIntake(limits: limits, queue: queue, responder: responder)
    }

    /// - Returns: When everything must be over.
    mutating func run() -> ContinuousClock.Instant {
        read()
        let deadline = beginEnd()
        responder.shutdown(by: limits.answersDeadline(deadline)) { [queue] in queue.finishResponder() }
        while !queue.isFinishedOrParks(), ContinuousClock.now < deadline {
            wait(forInput: false, orHangUp: false)
        }
        queue.close()
        return deadline
    }

    /// Reads and passes calls on until there is a reason to stop.
    private mutating func read() {
        while true {
            let readiness = wait(forInput: true, orHangUp: false)
            guard !queue.isStopped, !isOutOfTime else { return }
            guard readiness.isReadable else { continue }
            switch input.read(into: &buffer) {
            case .bytes(let count):
                intake.take(buffer, count)
                pass()
            case .end: return passLast()
            case .failed: return
            }
        }
    }

    /// Passes on the call that the end of the input completes.
    private mutating func passLast() {
        _ = beginEnd()
        intake.takeEnd()
        pass()
    }

    /// Passes on what was read, as soon as there is room for it.
    private mutating func pass() {
        while true {
            let readiness: ByteStream.Readiness
            switch intake.advance() {
            case .isDone: return
            case .waitsForRoom: readiness = wait(forInput: false, orHangUp: !isHungUp)
            case .hasHadItsTurn: readiness = wait(forInput: false, orHangUp: !isHungUp, until: .now)
            }
            isHungUp = isHungUp || readiness.isHungUp
            if isHungUp || queue.isStopped { _ = beginEnd() }
            if isOutOfTime { return intake.abandon() }
        }
    }

    /// Waits for the input, for another thread or for the end of the time.
    @discardableResult
    private mutating func wait(
        forInput waitsForInput: Bool, orHangUp waitsForHangUp: Bool, until limit: ContinuousClock.Instant? = nil
    ) -> ByteStream.Readiness {
        let readiness = input.wait(
            forInput: waitsForInput, orHangUp: waitsForHangUp, or: wake.descriptor, until: limit ?? deadline
        )
        if readiness.isWoken { wake.reset() }
        if let deadline, ContinuousClock.now >= deadline { isOutOfTime = true }
        return readiness
    }

    /// Lets the time for ending run.
    ///
    /// - Returns: When it is over.
    private mutating func beginEnd() -> ContinuousClock.Instant {
        if let deadline { return deadline }
        let deadline = ContinuousClock.now + limits.shutdownTimeout
        self.deadline = deadline
        responder.willShutDown(by: limits.answersDeadline(deadline), isServers: false)
        return deadline
    }
}
