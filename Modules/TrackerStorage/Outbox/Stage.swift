import TrackerModels

/// The changes that were accepted and are not written yet, and what readers must know about them.
struct Stage: Sendable {
    /// Stands in the place of a task that was taken out of its group.
    private static let nothing = StagedTask(task: .change(.barrier))
    /// The least bound, in bytes.
    private static let leastBound = 1 << 20
    /// The largest transaction.
    private static let groupSize = 1_000
    private static let groupBytes = 8 << 20

    private struct Group: Sendable {
        var tasks: [StagedTask] = []
        var bytes = 0

        var isFull: Bool { tasks.count >= Stage.groupSize || bytes >= Stage.groupBytes }

        mutating func append(_ task: StagedTask) {
            tasks.append(task)
            bytes += task.weight
        }
    }

    enum Phase: Sendable {
        /// Not yet: tasks wait.
        case waiting
        case open
        /// The folder cannot be used: tasks are refused.
        case failed(StorageError)
        /// The outbox is closed: tasks are refused.
        case closed
    }

    private(set) var phase = Phase.waiting
    /// Records that have left the queue in memory and not yet on disk.
    private(set) var settling: Set<Record.ID> = []
    /// All records up to this one have left the queue.
    private(set) var floor = Record.ID(0)
    /// Counts the databases that were opened: the floor is that of one.
    private(set) var databaseCount = 0
    /// Counts the groups that were written.
    var commits: Int64 = 0
    var writeFailure: StorageError?
    /// When the account begins.
    var origin = LaneOrigin()
    /// Whether backups are about to be written without a caller that waits.
    var isBackupScheduled = false
    /// Whether the backups have failed, which was reported, and are to be written again.
    var isBackupOverdue = false
    /// Whether what the disk has refused will be tried again.
    var isRetryScheduled = false
    /// A read has found the database older than the lane's backups, and the writer has yet to catch up.
    var isBehind = false

    /// What a task that was added has changed.
    struct Addition {
        /// Whether the writer must be woken.
        var wakesWriter = false
        /// The tasks whose records are refused since too much waits: the one that was added, or older ones.
        var refused: [StagedTask] = []
    }

    /// How many bytes may be staged and not yet written.
    private let bound: Int
    /// Which records are refused past that.
    private let overflow: DeliveryOptions.Overflow
    private(set) var records = 0
    /// How many bytes are staged.
    private var stagedBytes = 0
    /// How many of them the writer has taken.
    private var takenBytes = 0
    /// How many tasks are not done yet that the next process to deliver the lane must find done.
    private var deliveryTasks = 0
    /// What waits, in groups that each fill one transaction at most; the last is still being filled.
    private var groups: [Group] = []
    /// What is left of the oldest tasks after some were dropped; it is written with the first group.
    private var survivors = Group()
    /// How many tasks of the first group were dropped or have survived.
    private var passed = 0
    private var isWriterScheduled = false

    /// - Parameters:
    ///   - bound: How many bytes may be staged and not yet written.
    ///   - overflow: Which records are refused past that: the newest or the oldest.
    init(bound: Int, overflow: DeliveryOptions.Overflow) {
        self.bound = max(bound, Self.leastBound)
        self.overflow = overflow
    }

    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    /// Whether all that this process has done to deliver the lane was written or refused.
    var isDeliveryDone: Bool { deliveryTasks == 0 }

    /// Whether tasks are refused because the outbox is closed.
    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Adds a task, unless it is a call for which there is no room.
    ///
    /// - Throws: Why every task is refused.
    mutating func add(_ task: StagedTask) throws(StorageError) -> Addition {
        switch phase {
        case .failed(let error): throw error
        case .closed: throw StorageError(.closed, "The outbox is closed")
        case .waiting, .open: break
        }
        var addition = Addition()
        if stagedBytes >= bound, task.task.mayBeRefused {
            if overflow == .dropOldest { addition.refused = makeRoom() }
            // What the writer has taken is about to be written: beside it there is always room for the newest call.
            guard overflow == .dropOldest, stagedBytes - takenBytes < bound else {
                addition.refused.append(task)
                return addition
            }
        }
        stagedBytes += task.weight
        records += task.records
        if task.guidesDelivery {
            deliveryTasks += 1
            settling.formUnion(task.task.settledRecords)
        }
        if groups.last?.isFull != false { groups.append(Group()) }
        groups[groups.count - 1].append(task)
        addition.wakesWriter = wake()
        return addition
    }

    /// Enters another phase.
    ///
    /// - Returns: Whether the writer must be woken.
    mutating func enter(_ phase: Phase) -> Bool {
        if case .closed = self.phase { return false }
        self.phase = phase
        return wake()
    }

    /// The writer's next group; an empty one if there is nothing to write.
    mutating func nextGroup() -> [StagedTask] {
        guard !isEmpty else {
            isWriterScheduled = false
            return []
        }
        let group = popGroup()
        takenBytes += group.bytes
        return group.tasks
    }

    /// Removes a group that was written or refused.
    mutating func finish(_ group: [StagedTask]) {
        // By index, since a task that is iterated over is copied.
        for index in group.indices {
            stagedBytes -= group[index].weight
            takenBytes -= group[index].weight
            records -= group[index].records
            if group[index].guidesDelivery { deliveryTasks -= 1 }
        }
    }

    /// Takes everything that is left. Call ``finish(_:)`` with it.
    mutating func rest() -> [StagedTask] {
        var rest: [StagedTask] = []
        while case let group = nextGroup(), !group.isEmpty { rest += group }
        return rest
    }

    /// Raises the floor: a read has found that all records before this one have left the queue.
    ///
    /// - Parameter count: The number of databases that were opened when the read began.
    mutating func raiseFloor(below record: Record.ID, databaseCount count: Int) {
        guard count == databaseCount, record.number > 0 else { return }
        floor = max(floor, Record.ID(record.number - 1))
    }

    /// Forgets what is known about the database, since the writer may have opened another one.
    mutating func useDatabase(_ count: Int) {
        guard count != databaseCount else { return }
        databaseCount = count
        floor = Record.ID(0)
    }

    /// Removes records that have left the queue on disk as well.
    mutating func forget(_ settled: [Record.ID]) {
        if !settled.isEmpty { settling.subtract(settled) }
    }

    private var isEmpty: Bool { groups.isEmpty && survivors.tasks.isEmpty }

    /// Takes the oldest tasks, as many as one transaction has, and what has survived before them.
    private mutating func popGroup() -> Group {
        var group = groups.isEmpty ? Group() : groups.removeFirst()
        if passed > 0 { group.tasks.removeFirst(passed) }
        if !survivors.tasks.isEmpty {
            group = Group(tasks: survivors.tasks + group.tasks, bytes: survivors.bytes + group.bytes)
        }
        (survivors, passed) = (Group(), 0)
        return group
    }

    /// Drops the oldest records until there is room. What else their calls change stays.
    ///
    /// - Returns: The tasks whose records were dropped.
    private mutating func makeRoom() -> [StagedTask] {
        var dropped: [StagedTask] = []
        while stagedBytes >= bound, let task = popTask() {
            guard case .change(.append(let draft)) = task.task, !draft.isEvicted else {
                survivors.append(task)
                continue
            }
            dropped.append(task)
            stagedBytes -= task.weight
            records -= task.records
            guard let remainder = draft.evicted else { continue }
            let rest = StagedTask(task: .change(.append(remainder)))
            stagedBytes += rest.weight
            survivors.append(rest)
        }
        return dropped
    }

    /// Takes the oldest task that neither was dropped nor has survived that.
    private mutating func popTask() -> StagedTask? {
        guard !groups.isEmpty else { return nil }
        let task = groups[0].tasks[passed]
        // Its memory is to be free at once, and not only with that of its group.
        groups[0].tasks[passed] = Self.nothing
        groups[0].bytes -= task.weight
        passed += 1
        if passed == groups[0].tasks.count {
            groups.removeFirst()
            passed = 0
        }
        return task
    }

    private mutating func wake() -> Bool {
        if case .waiting = phase { return false }
        guard !isWriterScheduled, !isEmpty else { return false }
        isWriterScheduled = true
        return true
    }
}

/// A task for the writer.
enum LaneTask: Sendable {
    /// To change the lane.
    case change(LaneChange)
    /// To do something that was decided in a database, unless the lane is in another one by now.
    indirect case decided(LaneTask, in: DatabaseID)
    /// To look at a value again and put right what is wrong with it.
    case heal(StoredKey)
    /// To remove records that cannot be read.
    case lose([Record.ID])
    /// To see whether the database is sound.
    case inspect

    /// A task that was decided in a database, if one is known.
    static func of(_ database: DatabaseID?, _ task: LaneTask) -> LaneTask {
        database.map { .decided(task, in: $0) } ?? task
    }

    /// The change, if it is one, and in which database it was decided.
    var decision: (change: LaneChange, database: DatabaseID?)? {
        switch self {
        case .change(let change): (change, nil)
        case .decided(.change(let change), let database): (change, database)
        case .decided, .heal, .lose, .inspect: nil
        }
    }

    /// The records that leave the queue by this task, even if the disk refuses it.
    var settledRecords: [Record.ID] {
        switch self {
        case .change(.delivered(let ids, _)), .change(.drop(let ids, _, _)), .lose(let ids): ids
        case .decided(let task, _): task.settledRecords
        case .change, .heal, .inspect: []
        }
    }

    /// Whether the next process to deliver the lane must find the task done.
    var guidesDelivery: Bool {
        switch self {
        case .change(let change): change.guidesDelivery
        case .decided(let task, _): task.guidesDelivery
        case .lose: true
        case .heal, .inspect: false
        }
    }

    /// Whether what the task deletes must not be found in any file.
    var erases: Bool {
        switch self {
        case .change(.reset(all: true, _)), .change(.consent(.denied, _)), .change(.forget): true
        default: false
        }
    }

    /// How many records the task adds to the queue, unless they are refused.
    fileprivate var records: Int {
        switch self {
        case .change(.append(let draft)): draft.isEvicted ? 0 : 1
        case .change(.continueSession): 1
        default: 0
        }
    }

    /// Whether the task is a call that may be refused when too much waits.
    var mayBeRefused: Bool {
        switch self {
        case .change(.append), .change(.continueSession), .change(.set): true
        default: false
        }
    }

    /// How many sequence numbers the task may give.
    fileprivate var numbers: Int {
        switch self {
        case .change(.append), .change(.continueSession): 1
        case .change(.requeue(let ids)): ids.count
        case .decided(let task, _): task.numbers
        default: 0
        }
    }

    fileprivate var isLasting: Bool { decision?.change.isBackedUp ?? false }
}

/// A task and its completion, with what the stage and the writer ask of it again and again. A class, since it is handed
/// on often and copied never.
final class StagedTask: Sendable {
    /// What is to be done.
    let task: LaneTask
    let completion: @Sendable (ChangeResult) -> Void
    /// About how many bytes it adds to a transaction.
    let weight: Int
    /// How many records it adds to the queue, unless they are refused.
    let records: Int
    /// Whether the next process to deliver the lane must find the task done.
    let guidesDelivery: Bool
    /// How many sequence numbers it may give.
    let numbers: Int
    /// Whether it must outlive a loss of power, even if the configuration does not ask for that, and counts only with
    /// its backup.
    let isLasting: Bool

    init(task: LaneTask, completion: @escaping @Sendable (ChangeResult) -> Void = { _ in }) {
        self.task = task
        self.completion = completion
        records = task.records
        guidesDelivery = task.guidesDelivery
        numbers = task.numbers
        isLasting = task.isLasting
        let bytes = if case .change(.append(let draft)) = task { draft.body.byteCount } else { 0 }
        weight = 256 + bytes
    }
}
