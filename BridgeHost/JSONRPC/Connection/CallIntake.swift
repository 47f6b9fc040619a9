/// Takes messages from pieces of the input, and passes their calls on while there is room for them.
///
/// It never waits. When there is no room it stops where it is, and goes on there at the next ``advance()``.
struct CallIntake: Sendable {
    /// A call that there was no room for.
    private struct WaitingCall: Sendable {
        let call: Call
        let byteCount: Int
        let destination: Reply.Destination
        let isInBatch: Bool
    }

    /// A batch whose calls have not all been passed on.
    private struct OpenBatch: Sendable {
        let bytes: [UInt8]
        let ranges: [Range<Int>]
        let batch: Batch
        var next = 0
    }

    /// How far the intake has come.
    enum Progress: Sendable {
        /// The piece is used up.
        case isDone
        /// There is no room. The queue wakes the reader when there is.
        case waitsForRoom
        /// It has passed on as many calls as one turn may: others, the time and the end are looked at before it goes on.
        case hasHadItsTurn
    }

    /// How many calls are passed on before the next turn. Some that are answered at once take a tenth of a millisecond.
    private static let callsOfTurn = 128

    private let limits: ConnectionLimits
    private let queue: OutputQueue
    private let responder: any Responder
    private var decoder: FrameDecoder
    private var parser: MessageParser
    private var framing: Framing?
    /// The piece that is being taken. It is released once it is used up, so that its owner can read into it again.
    private var piece: [UInt8] = []
    private var position = 0
    private var end = 0
    private var batch: OpenBatch?
    private var waiting: WaitingCall?
    /// How many calls were passed on in this turn.
    private var calls = 0

    init(limits: ConnectionLimits, queue: OutputQueue, responder: any Responder) {
        self.limits = limits
        self.queue = queue
        self.responder = responder
        decoder = FrameDecoder(maxMessageBytes: limits.maxMessageBytes)
        parser = MessageParser(maxBatchCalls: limits.maxBatchCalls)
    }

    /// How many bytes are kept of messages that are not finished, or wait for room.
    var unfinishedBytes: Int {
        decoder.unfinishedBytes + (waiting?.byteCount ?? 0) + (batch.map { $0.bytes.count } ?? 0)
    }

    /// Takes the next piece of the input, once the last one is used up.
    ///
    /// - Parameter count: How many of its bytes are meant.
    mutating func take(_ piece: [UInt8], _ count: Int) {
        (self.piece, position, end) = (piece, 0, count)
    }

    /// Takes the message that the end of the input completes.
    mutating func takeEnd() {
        guard let frame = decoder.finish() else { return }
        queue.hold()
        take(frame)
        queue.release()
    }

    /// Passes calls on until the piece is used up, there is no room, or its turn is over.
    mutating func advance() -> Progress {
        queue.hold()
        defer { queue.release() }
        calls = 0
        while true {
            guard passWaiting(), passBatch() else { return waiting == nil ? .hasHadItsTurn : .waitsForRoom }
            if calls >= Self.callsOfTurn { return .hasHadItsTurn }
            guard let frame = decoder.next(in: piece, upTo: end, from: &position) else { break }
            take(frame)
        }
        piece = []
        return .isDone
    }

    /// Drops what has not been passed on.
    mutating func abandon() {
        (piece, position, end) = ([], 0, 0)
        batch = nil
        waiting = nil
    }

    private mutating func take(_ frame: Frame) {
        if framing == nil {
            framing = decoder.framing
            queue.framing = framing ?? .lines
        }
        switch frame {
        case .within(let range): take(parser.message(piece, in: range), of: piece, range.count)
        case .collected(let bytes): take(parser.message(bytes, in: 0..<bytes.count), of: bytes, bytes.count)
        case .refused(let fault): pass(Call(refused: RPCError(fault)), 0)
        }
    }

    private mutating func take(_ message: Message, of bytes: [UInt8], _ count: Int) {
        switch message {
        case .call(let call): pass(call, count)
        case .batch(let ranges):
            batch = OpenBatch(
                bytes: bytes, ranges: ranges,
                batch: Batch(count: ranges.count, maxBytes: limits.maxUnreadBytes, queue: queue))
        }
    }

    /// - Returns: Whether all calls of the batch have been passed on.
    private mutating func passBatch() -> Bool {
        while let open = batch {
            if calls >= Self.callsOfTurn { return false }
            guard open.next < open.ranges.count else {
                batch = nil
                return true
            }
            let range = open.ranges[open.next]
            batch?.next += 1
            pass(
                parser.call(open.bytes, in: range), range.count, to: .batch(open.batch, position: open.next),
                isInBatch: open.next > 0)
            guard passWaiting() else { return false }
        }
        return true
    }

    private mutating func pass(
        _ call: Call, _ byteCount: Int, to destination: Reply.Destination = .connection, isInBatch: Bool = false
    ) {
        guard queue.admit(byteCount, isInBatch: isInBatch, parks: false) else {
            waiting = WaitingCall(call: call, byteCount: byteCount, destination: destination, isInBatch: isInBatch)
            return
        }
        perform(call, byteCount, to: destination)
    }

    /// - Returns: Whether no call waits for room.
    private mutating func passWaiting() -> Bool {
        guard let waiting else { return true }
        // What is held back may be all that the client has to read before there is room.
        queue.release()
        let isAdmitted = queue.admit(waiting.byteCount, isInBatch: waiting.isInBatch, parks: true)
        queue.hold()
        guard isAdmitted else { return false }
        self.waiting = nil
        perform(waiting.call, waiting.byteCount, to: waiting.destination)
        return true
    }

    private mutating func perform(_ call: Call, _ byteCount: Int, to destination: Reply.Destination) {
        calls += 1
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
}
