/// What the reading thread of a connection does.
struct ConnectionReader {
    private static let bufferSize = 256 << 10
    /// The part of the time for ending that is kept for the writing of the last answers.
    private static let writingShare = 10

    private let input: ByteStream
    private let wake: WakePipe
    private let limits: ConnectionLimits
    private let queue: OutputQueue
    private let responder: any Responder
    private var decoder: FrameDecoder
    private var parser: MessageParser
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    private var framing: Framing?
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
        decoder = FrameDecoder(maxMessageBytes: limits.maxMessageBytes)
        parser = MessageParser(maxBatchCalls: limits.maxBatchCalls)
    }

    mutating func run() {
        read()
        let deadline = beginEnd()
        responder.shutdown(by: answersDeadline(deadline)) { [queue] in queue.finishResponder() }
        while !queue.isFinishedOrParks(), ContinuousClock.now < deadline {
            wait(forInput: false, orHangUp: false)
        }
        queue.close()
    }

    /// Reads and dispatches calls until there is a reason to stop.
    private mutating func read() {
        while true {
            let readiness = wait(forInput: true, orHangUp: false)
            guard !queue.isStopped, !isOutOfTime else { return }
            guard readiness.isReadable else { continue }
            switch input.read(into: &buffer) {
            case .bytes(let count): dispatch(count)
            case .end: return dispatchLast()
            case .failed: return
            }
        }
    }

    /// Dispatches all calls that were read.
    private mutating func dispatch(_ count: Int) {
        queue.hold()
        var position = 0
        while !isOutOfTime, let frame = decoder.next(in: buffer, upTo: count, from: &position) { dispatch(frame) }
        queue.release()
    }

    /// Dispatches the call that the end of the input completes.
    private mutating func dispatchLast() {
        _ = beginEnd()
        guard let frame = decoder.finish() else { return }
        queue.hold()
        dispatch(frame)
        queue.release()
    }

    private mutating func dispatch(_ frame: Frame) {
        if framing == nil {
            framing = decoder.framing
            queue.use(framing ?? .lines)
        }
        switch frame {
        case .within(let range): dispatch(parser.message(buffer, in: range), of: buffer, range.count)
        case .collected(let bytes): dispatch(parser.message(bytes, in: 0..<bytes.count), of: bytes, bytes.count)
        case .refused(let fault): dispatch(Call(refused: RPCError(fault)), 0)
        }
    }

    private mutating func dispatch(_ message: Message, of bytes: [UInt8], _ count: Int) {
        switch message {
        case .call(let call): dispatch(call, count)
        case .batch(let ranges):
            let batch = Batch(count: ranges.count, maxBytes: limits.maxUnreadBytes / 4, queue: queue)
            for (position, range) in ranges.enumerated() {
                let call = parser.call(bytes, in: range)
                dispatch(call, range.count, to: .batch(batch, position: position), isInBatch: position > 0)
            }
        }
    }

    /// Dispatches one call as soon as there is room for it.
    private mutating func dispatch(
        _ call: Call, _ byteCount: Int, to destination: Reply.Destination = .connection, isInBatch: Bool = false
    ) {
        guard waitForRoom(byteCount, isInBatch: isInBatch) else { return }
        let reply = Reply(id: call.id, byteCount: byteCount, destination: destination, queue: queue)
        switch call.request {
        case .failure(let error): reply.fail(with: error)
        case .success(let request) where request.method.utf8.starts(with: "$/".utf8):
            // Such names are the protocol's own (Language Server Protocol, base protocol): a notification that is not
            // known is ignored. A cancelled call is answered all the same.
            reply.fail(with: .methodNotFound(request.method))
        case .success(let request): responder.respond(to: request, reply: reply)
        }
    }

    /// Waits until a call may be read.
    ///
    /// - Returns: `false` if the time for ending is over.
    private mutating func waitForRoom(_ byteCount: Int, isInBatch: Bool) -> Bool {
        guard !isOutOfTime else { return false }
        if queue.admit(byteCount, isInBatch: isInBatch, parks: false) { return true }
        queue.release()
        defer { queue.hold() }
        while !queue.admit(byteCount, isInBatch: isInBatch, parks: true) {
            let readiness = wait(forInput: false, orHangUp: !isHungUp)
            isHungUp = isHungUp || readiness.isHungUp
            if isHungUp || queue.isStopped { _ = beginEnd() }
            guard !isOutOfTime else { return false }
        }
        return true
    }

    /// Waits for the input, for another thread or for the end of the time.
    @discardableResult
    private mutating func wait(forInput waitsForInput: Bool, orHangUp waitsForHangUp: Bool) -> ByteStream.Readiness {
        let readiness = input.wait(
            forInput: waitsForInput, orHangUp: waitsForHangUp, or: wake.descriptor, until: deadline
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
        responder.willShutDown(by: answersDeadline(deadline))
        return deadline
    }

    /// When answers must be ready to be written in time.
    private func answersDeadline(_ deadline: ContinuousClock.Instant) -> ContinuousClock.Instant {
        deadline - limits.shutdownTimeout / Self.writingShare
    }
}
