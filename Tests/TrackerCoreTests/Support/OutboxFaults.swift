import Synchronization
import TrackerModels

@testable import TrackerCore
@testable import TrackerStorage

/// What a test does to the outboxes that its trackers open, one after the other.
final class OutboxFaults: Sendable {
    /// A change that goes in just before another; `nil`: none.
    typealias Hook = @Sendable (LaneChange) -> LaneChange?

    private struct State {
        var isStalled = false
        var waiting: [@Sendable () -> Void] = []
        var hook: Hook = { _ in nil }
        var isAwaitingDisk = false
        var isRefusingWrites = false
        var latest: SQLiteOutbox?
    }

    private let state = Mutex(State())

    /// From now on nothing is opened or closed, as on a disk that does not answer.
    func stall() { state.withLock { $0.isStalled = true } }

    /// The disk answers again.
    func goOn() {
        let waiting = state.withLock { state in
            state.isStalled = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in waiting { work() }
    }

    /// Has `hook` look at each change that is staged from now on, in its place in the order.
    func beforeEach(_ hook: @escaping Hook) { state.withLock { $0.hook = hook } }

    /// Has `change` go in before the first of the changes that `isPlace` names.
    func put(_ change: LaneChange, before isPlace: @escaping @Sendable (LaneChange) -> Bool) {
        let isFirst = Flag(false)
        beforeEach { isPlace($0) && isFirst.raise() ? change : nil }
    }

    /// Whether the lanes show a reset or a decision that the disk has not taken yet.
    func setAwaitingDisk(_ isAwaiting: Bool) { state.withLock { $0.isAwaitingDisk = isAwaiting } }

    /// Whether the disk refuses every write to the lanes, from now on and when one is opened.
    func refuseWrites(_ refuses: Bool) throws {
        let latest = state.withLock { state in
            state.isRefusingWrites = refuses
            return state.latest
        }
        try latest?.refuseWrites(refuses)
    }

    fileprivate func isOpen(_ outbox: SQLiteOutbox) {
        let refuses = state.withLock { state in
            state.latest = outbox
            return state.isRefusingWrites
        }
        // A statement without effect on the disk does not fail.
        if refuses { try? outbox.refuseWrites(true) }
    }

    /// Makes an outbox that is steered from here.
    func outbox(_ configuration: OutboxConfiguration) -> any LaneOutbox { FaultyOutbox(configuration, self) }

    fileprivate func whenAnswering(_ work: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.isStalled { state.waiting.append(work) }
            return !state.isStalled
        }
        if isNow { work() }
    }

    fileprivate func shown(_ lane: LaneState) -> LaneState {
        var lane = lane
        lane.isAwaitingDisk = lane.isAwaitingDisk || state.withLock { $0.isAwaitingDisk }
        return lane
    }

    fileprivate func change(before change: LaneChange) -> LaneChange? { state.withLock { $0.hook }(change) }
}

extension SQLiteOutbox {
    /// Makes every write fail, as a disk does that has turned read-only.
    fileprivate func refuseWrites(_ refuses: Bool) throws {
        try writer.withLock { (writer) throws(StorageError) in
            try writer.database.lane?.database.connection.execute("PRAGMA query_only=\(refuses ? "ON" : "OFF")")
        }
    }
}

/// The real outbox, with faults that a test chooses.
private final class FaultyOutbox: WrappingOutbox {
    let inner: SQLiteOutbox
    private let faults: OutboxFaults

    init(_ configuration: OutboxConfiguration, _ faults: OutboxFaults) {
        inner = SQLiteOutbox(configuration)
        self.faults = faults
    }

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        faults.whenAnswering { [inner, faults] in
            inner.open { result in
                faults.isOpen(inner)
                completion(result)
            }
        }
    }

    func stage(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        if let first = faults.change(before: change) { inner.stage(first) { _ in } }
        inner.stage(change, of: database) { [faults] result in
            guard result.effect == .done, let lane = result.lane else { return completion(result) }
            completion(ChangeResult(.done, faults.shown(lane)))
        }
    }

    func stage(_ draft: Draft, of owner: RecordOwner, answer: () -> @Sendable (AnsweredRecords) -> Void) {
        if let first = faults.change(before: .append(draft)) { inner.stage(first) { _ in } }
        inner.stage(draft, of: owner, answer: answer)
    }

    func close(completion: @escaping @Sendable () -> Void) {
        faults.whenAnswering { [inner] in inner.close(completion: completion) }
    }

    func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek {
        var peek = try inner.peek(limit: limit, maxBytes: maxBytes, excluding: excluding)
        peek.state = faults.shown(peek.state)
        return peek
    }

    /// What the faults show changes without a commit.
    func isUnchanged(since version: ReadVersion) throws(StorageError) -> Bool { false }

    func state(ifQueued record: Record.ID) throws(StorageError) -> (lane: LaneState, version: ReadVersion?)? {
        try inner.state(ifQueued: record).map { (faults.shown($0.lane), $0.version) }
    }

    func state() throws(StorageError) -> LaneState { faults.shown(try inner.state()) }
}
