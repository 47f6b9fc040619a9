import TrackerPlatform

/// What the thread of a server does.
struct ServerLoop: ~Copyable {
    /// How much is read of one connection before the next one's turn.
    private static let bufferSize = 64 << 10
    /// How many clients are accepted before the connections' turn.
    private static let mostAccepts = 64
    /// How long no client is accepted when there is not even a descriptor to refuse one with.
    private static let acceptPause = Duration.milliseconds(100)
    private static let listenerNumber = 0
    private static let mailboxNumber = 1

    private let listener: SocketDescriptor
    private let limits: SocketServer.Limits
    private let mailbox: ServerMailbox
    private let held: HeldBytes
    private let gathering: WriteGathering
    private let admits: @Sendable (Int32) -> RPCError?
    private let makeResponder: @Sendable (SocketServer.Link) -> any Responder
    private var poll = DescriptorPoll()
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    private var connections: [Int: ServedConnection] = [:]
    /// Those that have a time to keep.
    private var timed: Set<Int> = []
    private var nextNumber = 2
    /// When everything must be over; known once the server stops.
    private var deadline: ContinuousClock.Instant?
    /// Kept so that a client can be told when there is no other descriptor left.
    private var spare = Self.openSpare()
    /// When clients are accepted again.
    private var acceptsAgain: ContinuousClock.Instant?

    init(
        listener: SocketDescriptor, limits: SocketServer.Limits, mailbox: ServerMailbox, held: HeldBytes,
        gathering: WriteGathering, admits: @escaping @Sendable (Int32) -> RPCError?,
        makeResponder: @escaping @Sendable (SocketServer.Link) -> any Responder
    ) {
        self.listener = listener
        self.limits = limits
        self.mailbox = mailbox
        self.held = held
        self.gathering = gathering
        self.admits = admits
        self.makeResponder = makeResponder
        poll.add(listener.descriptor, as: Self.listenerNumber, .reading)
        poll.add(mailbox.descriptor, as: Self.mailboxNumber, .reading)
    }

    deinit { if spare >= 0 { closeDescriptor(spare) } }

    mutating func run() {
        while true {
            let now = ContinuousClock.now
            if let deadline, connections.isEmpty || now >= deadline { break }
            for event in poll.wait(milliseconds: milliseconds(from: now)) { handle(event) }
            keepTime()
        }
        for connection in Array(connections.values) { remove(connection) }
    }

    private mutating func handle(_ event: DescriptorPoll.Event) {
        switch event.number {
        case Self.listenerNumber: accept()
        case Self.mailboxNumber: for command in mailbox.take() { perform(command) }
        default:
            guard let connection = connections[event.number] else { return }
            if event.isWritable { write(connection) }
            if event.isGone { return lose(connection) }
            if event.isReadable, !connection.isPaused, !connection.isEnding { read(connection) }
        }
    }

    private mutating func perform(_ command: ServerMailbox.Command) {
        switch command {
        case .stop(let timeout): stop(within: timeout)
        case .look(let number): if let connection = connections[number] { look(at: connection) }
        case .held(.exceedsLimit): relieve()
        case .held(.hasRoom): giveRoom()
        case .awaitRoom(let number):
            guard let connection = connections[number], !connection.isGone else { return }
            setInterest(of: connection, connection.interest.union(.writing))
        case .timer(let number, let due, let work):
            guard let connection = connections[number] else { return work() }
            connection.timers.append((due, work))
            timed.insert(number)
        }
    }

    // MARK: Clients that come

    private mutating func accept() {
        for _ in 0..<Self.mostAccepts {
            let descriptor = systemAccept(listener.descriptor)
            guard descriptor >= 0 else {
                let isOut = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
                if isOut { refuseForWantOfDescriptors() }
                return
            }
            take(SocketDescriptor(descriptor))
        }
    }

    private mutating func take(_ socket: SocketDescriptor) {
        if let error = admits(socket.descriptor) { return refuse(socket, error) }
        guard connections.count < limits.maxConnections else {
            return refuse(socket, .tooManyConnections(limit: limits.maxConnections))
        }
        let number = nextNumber
        nextNumber += 1
        let channel = SocketChannel(
            socket, gathering, wake: { [mailbox] in mailbox.post(.look(number)) },
            awaitRoom: { [mailbox] in mailbox.post(.awaitRoom(number)) })
        let queue = OutputQueue(channel: channel, limits: limits.connection, held: held)
        poll.add(socket.descriptor, as: number, .reading)
        let responder = makeResponder(
            SocketServer.Link(number: number, queue: queue, mailbox: mailbox, gathering: gathering))
        connections[number] = ServedConnection(
            number: number, channel: channel, queue: queue, responder: responder, limits: limits.connection)
    }

    /// Says why a client is not served, before its connection is closed.
    private func refuse(_ socket: SocketDescriptor, _ error: RPCError, _ framing: Framing = .lines) {
        var message: [UInt8] = []
        FrameEncoder(framing: framing).append(to: &message) { Answer.append(error, id: Call.nullID, to: &$0) }
        // It fits into an empty socket. A client that is gone needs no answer.
        _ = socket.write(message, from: 0)
    }

    /// Takes the client that waits with the descriptor that was kept for that, to tell it.
    private mutating func refuseForWantOfDescriptors() {
        // Another thread may have taken the last one, when this one was free for a moment.
        if spare < 0 { spare = Self.openSpare() }
        guard spare >= 0 else {
            acceptsAgain = ContinuousClock.now + Self.acceptPause
            return poll.change(Self.listenerNumber, to: [])
        }
        closeDescriptor(spare)
        let descriptor = systemAccept(listener.descriptor)
        if descriptor >= 0 { refuse(SocketDescriptor(descriptor), .outOfDescriptors) }
        spare = Self.openSpare()
    }

    private static func openSpare() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

    // MARK: One client

    private mutating func read(_ connection: ServedConnection) {
        switch connection.channel.socket.read(into: &buffer) {
        case nil: break
        case .bytes(let count)?:
            connection.intake.take(buffer, count)
            advance(connection)
        case .end?: endInput(of: connection)
        case .failed?: lose(connection)
        }
    }

    /// Reads what a client that is gone has left in its socket, as far as there is room. The rest is read once there is
    /// more: the queue has the loop look again.
    private mutating func readRest(of connection: ServedConnection) {
        while connections[connection.number] != nil, !connection.isEnding, !connection.isPaused,
            !connection.queue.isStopped
        {
            guard case .bytes(let count)? = connection.channel.socket.read(into: &buffer) else {
                return endInput(of: connection)
            }
            connection.intake.take(buffer, count)
            advance(connection)
        }
    }

    /// Goes on with what a client has written, or ends the connection if nothing is left to do.
    private mutating func look(at connection: ServedConnection) {
        if connection.queue.isStopped, !connection.isEnding { beginEnd(of: connection) }
        advance(connection)
        if connection.isGone { readRest(of: connection) }
    }

    private mutating func advance(_ connection: ServedConnection) {
        switch connection.intake.advance() {
        case .isDone: connection.isPaused = false
        case .waitsForRoom: connection.isPaused = true
        case .hasHadItsTurn:
            connection.isPaused = true
            mailbox.post(.look(connection.number))
        }
        let unfinished = connection.intake.unfinishedBytes
        if unfinished != connection.unfinishedBytes {
            connection.unfinishedBytes = unfinished
            connection.queue.recordUnfinished(unfinished)
        }
        if held.isExceeded { relieve() }
        if connection.isEnding {
            if !connection.isPaused { goOnEnding(connection) }
        } else {
            let writing = connection.interest.intersection(.writing)
            setInterest(of: connection, connection.isPaused ? writing : writing.union(.reading))
        }
    }

    /// Goes on with the connections that were not read since all of them together kept much.
    private mutating func giveRoom() {
        for connection in Array(connections.values) where connection.isPaused { look(at: connection) }
    }

    /// Refuses the clients that keep the most, until all of them together keep no more than they may.
    private mutating func relieve() {
        while held.isExceeded {
            let sizes = connections.values.lazy.map { (connection: $0, bytes: $0.queue.heldBytes) }
            guard let most = sizes.max(by: { $0.bytes < $1.bytes }), most.bytes > held.share else { return }
            // In the midst of an answer it would not be understood.
            if !most.connection.channel.isWaiting {
                refuse(most.connection.channel.socket, .tooManyHeldBytes, most.connection.queue.framing)
            }
            remove(most.connection)
        }
    }

    private mutating func write(_ connection: ServedConnection) {
        setInterest(of: connection, connection.interest.subtracting(.writing))
        connection.channel.goOn(of: connection.queue)
    }

    private mutating func endInput(of connection: ServedConnection) {
        beginEnd(of: connection)
        connection.intake.takeEnd()
        advance(connection)
    }

    /// The other side is gone: nobody reads the answers, but what it has written takes effect.
    private mutating func lose(_ connection: ServedConnection) {
        guard !connection.isGone else { return }
        connection.isGone = true
        // A poll would report the end again and again.
        poll.remove(connection.number)
        connection.queue.breakOff()
        if connection.isEnding { return advance(connection) }
        readRest(of: connection)
        // What waits for room waits no longer than an end may take.
        limitTime(of: connection)
    }

    private mutating func beginEnd(of connection: ServedConnection) {
        guard !connection.isEnding else { return }
        connection.isEnding = true
        setInterest(of: connection, connection.interest.subtracting(.reading))
        limitTime(of: connection)
    }

    /// Lets the time for ending run.
    private mutating func limitTime(of connection: ServedConnection) {
        guard connection.deadline == nil, connections[connection.number] != nil else { return }
        let end = deadline ?? ContinuousClock.now + limits.connection.shutdownTimeout
        connection.deadline = end
        timed.insert(connection.number)
        connection.responder.willShutDown(by: limits.connection.answersDeadline(end), isServers: deadline != nil)
    }

    private mutating func goOnEnding(_ connection: ServedConnection) {
        endResponder(of: connection)
        if connection.queue.isFinishedOrParks() { remove(connection) }
    }

    /// Has the responder end, also for a client that is gone: its last calls are on their way, and what it counted stays.
    private func endResponder(of connection: ServedConnection) {
        guard !connection.isResponderEnding else { return }
        connection.isResponderEnding = true
        let end = connection.deadline ?? deadline ?? ContinuousClock.now + limits.connection.shutdownTimeout
        connection.responder.shutdown(by: limits.connection.answersDeadline(end)) { [queue = connection.queue] in
            queue.finishResponder()
        }
    }

    private mutating func remove(_ connection: ServedConnection) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        endResponder(of: connection)
        for work in connection.takeDue(at: nil) { work() }
        timed.remove(connection.number)
        connection.intake.abandon()
        connection.queue.recordUnfinished(0)
        connection.queue.close()
        if !connection.isGone { poll.remove(connection.number) }
        connection.isGone = true
        connection.channel.socket.hangUp()
    }

    private mutating func setInterest(of connection: ServedConnection, _ interest: DescriptorPoll.Interest) {
        guard interest != connection.interest, !connection.isGone else { return }
        connection.interest = interest
        poll.change(connection.number, to: interest)
    }

    // MARK: Time and the end

    private mutating func stop(within timeout: Duration) {
        guard deadline == nil else { return }
        deadline = ContinuousClock.now + timeout
        poll.remove(Self.listenerNumber)
        for connection in Array(connections.values) {
            beginEnd(of: connection)
            advance(connection)
        }
    }

    private mutating func keepTime() {
        let now = ContinuousClock.now
        if let due = acceptsAgain, due <= now {
            acceptsAgain = nil
            poll.change(Self.listenerNumber, to: .reading)
        }
        for number in Array(timed) {
            guard let connection = connections[number] else { continue }
            for work in connection.takeDue(at: now) { work() }
            if let deadline = connection.deadline, deadline <= now { remove(connection) }
        }
    }

    private func milliseconds(from now: ContinuousClock.Instant) -> Int32 {
        let earliest = timed.reduce(min(deadline, acceptsAgain)) { min($0, connections[$1]?.wakesAt) }
        guard let earliest else { return -1 }
        return Int32(clamping: max(0, now.duration(to: earliest).roundedUpMilliseconds))
    }
}

/// The earlier of two instants, of which either may be missing.
private func min(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let one, let other else { return one ?? other }
    return one < other ? one : other
}

// Inside the type, its own method hides the system call of the same name.
private func systemAccept(_ listener: Int32) -> Int32 {
    while true {
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 || errno != EINTR && errno != ECONNABORTED { return descriptor }
    }
}

extension RPCError {
    private static func refused(_ message: String) -> RPCError {
        RPCError(.connectionRefused, code: "CONNECTION_REFUSED", message: message, isRetryable: true)
    }

    /// More clients are connected than may be.
    static func tooManyConnections(limit: Int) -> RPCError {
        let clients = limit == 1 ? "1 client is" : "\(limit) clients are"
        return refused("\(clients) connected, and no more may be (--max-connections). Try again later.")
    }

    /// The process has no descriptor left for the connection.
    static let outOfDescriptors = refused(
        "The agent has no file descriptor left for another client. Raise its limit (ulimit -n, LimitNOFILE).")

    /// The clients leave too much with the server, and this one the most.
    static let tooManyHeldBytes = refused(
        "The messages and unread answers of all clients take too much memory, and this client's the most. "
            + "Read your answers, or send this again later.")

    /// The client may not use this server.
    ///
    /// - Parameter message: A sentence that says who may.
    package static func notAdmitted(_ message: String) -> RPCError {
        var error = refused(message)
        error.isRetryable = false
        return error
    }
}
