import Synchronization

/// The commands for the loop's thread, which every thread may add, and the place where that thread parks when there
/// are none.
///
/// "Parked" and the mailbox are under one lock: a sender knows for certain whether the loop still looks or has to be
/// woken, and wakes it once, after releasing the lock.
final class LoopMailbox: Sendable {
    /// Something the loop's thread is to do.
    enum Command: Sendable {
        case work(@Sendable () -> Void)
        case submit(TransferID, HTTPRequest, Completion)
        case cancel(TransferID)
        case renewConnections
    }

    /// Takes the result of an exchange.
    typealias Completion = @Sendable (Result<HTTPResponse, TransportError>) -> Void

    /// What became of an attempt to park.
    enum Parking {
        /// There is something to do.
        case refused
        /// Parked, until woken or until this instant; `nil` for no end.
        case until(MonotonicInstant?)
    }

    private struct State {
        var commands: [Command] = []
        var timers = TimerQueue()
        var nextNumber: UInt64 = 1
        var isParked = false
        var parkings = 0
        var isClosed = false
        var hasEnded = false
        var wake: (@Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []

        mutating func number() -> UInt64 {
            defer { nextNumber += 1 }
            return nextNumber
        }

        /// The way to wake the loop, if it is parked.
        ///
        /// Only the first to ask gets it.
        mutating func unpark() -> (@Sendable () -> Void)? {
            guard isParked else { return nil }
            isParked = false
            return wake
        }
    }

    private let state: Mutex<State>

    /// - Parameter wake: Ends the park of the loop's thread; called from any thread.
    init(wake: @escaping @Sendable () -> Void) {
        var state = State()
        state.wake = wake
        self.state = Mutex(state)
    }

    // MARK: From any thread

    func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed else { return (false, nil) }
            state.commands.append(.work(work))
            return (true, state.unpark())
        }
        wake?()
        return isTaken
    }

    func schedule(at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) -> TimerID {
        let (id, wake) = state.withLock { state -> (TimerID, (@Sendable () -> Void)?) in
            let id = TimerID(state.number())
            guard !state.isClosed else { return (id, nil) }
            let isEarliest = state.timers.next.map { instant < $0 } ?? true
            state.timers.insert(id, at: instant, work)
            return (id, isEarliest ? state.unpark() : nil)
        }
        wake?()
        return id
    }

    func cancel(_ timer: TimerID) {
        state.withLock { $0.timers.remove(timer) }
    }

    /// - Returns: The exchange's name, and whether the loop will run its completion.
    func submit(_ request: HTTPRequest, _ completion: @escaping Completion) -> (id: TransferID, isTaken: Bool) {
        let (id, isTaken, wake) = state.withLock { state -> (TransferID, Bool, (@Sendable () -> Void)?) in
            let id = TransferID(state.number())
            guard !state.hasEnded else { return (id, false, nil) }
            state.commands.append(.submit(id, request, completion))
            return (id, true, state.unpark())
        }
        wake?()
        return (id, isTaken)
    }

    func cancel(_ transfer: TransferID) { leave(.cancel(transfer)) }

    func renewConnections() { leave(.renewConnections) }

    private func leave(_ command: Command) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.hasEnded else { return nil }
            state.commands.append(command)
            return state.unpark()
        }
        wake?()
    }

    func close() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.timers.removeAll()
            return state.unpark()
        }
        wake?()
    }

    /// Has `work` run when the loop's thread has ended, or at once if it has.
    func whenEnded(_ work: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.onEnd.append(work) }
            return state.hasEnded
        }
        if hasEnded { work() }
    }

    /// How often the loop has parked so far: an idle loop parks once.
    var parkings: Int { state.withLock { $0.parkings } }

    // MARK: From the loop's thread

    /// Moves what was left into `commands`, which must be empty.
    ///
    /// - Returns: Whether the loop is to end.
    func take(into commands: inout [Command]) -> Bool {
        state.withLock { state in
            swap(&state.commands, &commands)
            return state.isClosed
        }
    }

    /// The number that the next timer will have.
    var timerLimit: UInt64 { state.withLock { $0.nextNumber } }

    /// Takes a timer that is due.
    func popTimer(at now: MonotonicInstant, below limit: UInt64) -> (@Sendable () -> Void)? {
        state.withLock { $0.timers.popDue(at: now, below: limit) }
    }

    /// Parks the loop, unless there is something to do.
    func park() -> Parking {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isClosed else { return .refused }
            state.isParked = true
            state.parkings += 1
            return .until(state.timers.next)
        }
    }

    /// Ends the park.
    ///
    /// From now on nothing has to wake the loop.
    func unpark() {
        state.withLock { $0.isParked = false }
    }

    /// Ends the loop for good, unless something was left meanwhile.
    ///
    /// - Returns: What is to run when the thread has released everything; `nil` if there is something to do first.
    func end() -> [@Sendable () -> Void]? {
        state.withLock { state in
            guard state.commands.isEmpty else { return nil }
            state.hasEnded = true
            state.wake = nil
            defer { state.onEnd = [] }
            return state.onEnd
        }
    }
}
