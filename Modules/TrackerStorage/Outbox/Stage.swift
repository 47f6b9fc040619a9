/// What was accepted and not yet written, and what readers must know of it.
struct Stage: Sendable {
    /// What may be staged in any case, however low the bound.
    private static let leastBound = 1 << 20
    /// How much one transaction takes.
    private static let groupSize = 1_000
    private static let groupBytes = 8 << 20

    /// Whether tasks are written.
    enum Phase: Sendable {
        /// Not yet: they wait.
        case waiting
        /// They are.
        case open
        /// The folder cannot be used: they are refused.
        case failed(StorageError)
        /// No longer: they are refused.
        case closed
    }

    /// Whether tasks are written.
    private(set) var phase = Phase.waiting
    /// Records that are settled in memory and not yet on disk.
    private(set) var settling: Set<Record.ID> = []
    /// All records up to this one are settled.
    private(set) var floor = Record.ID(0)
    /// Counts the databases that were opened: the floor is that of one.
    private(set) var databaseCount = 0
    /// What the disk has refused.
    var held = UnwrittenChanges()
    /// Why the disk refuses to be written.
    var writeFailure: StorageError?
    /// When the account begins.
    var origin = LaneOrigin()
    /// Whether backups are about to be written for nobody who waits.
    var isBackupScheduled = false
    /// Whether the backups have failed and are to be written again; it was told.
    var isBackupOverdue = false
    /// Whether what is held will be tried again.
    var isRetryScheduled = false

    /// How many bytes may be staged and not yet written.
    private let bound: Int
    /// How many are.
    private var stagedBytes = 0
    private var tasks: [StagedTask] = []
    /// How many of `tasks` were taken.
    private var taken = 0
    private var isWriterScheduled = false

    /// - Parameter bound: How many bytes may be staged and not yet written.
    init(bound: Int) { self.bound = max(bound, Self.leastBound) }

    /// Whether tasks are written.
    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    /// Whether nothing is taken in any more.
    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Takes a task in.
    ///
    /// - Returns: Whether the writer must be woken.
    /// - Throws: Why the task is refused.
    mutating func accept(_ task: StagedTask) throws(StorageError) -> Bool {
        switch phase {
        case .failed(let error): throw error
        case .closed: throw StorageError(.closed, "The outbox is closed")
        case .waiting, .open: break
        }
        if task.task.mayBeRefused, stagedBytes >= bound {
            throw StorageError(.busy, "The disk does not keep up: \(stagedBytes) bytes of calls wait to be written")
        }
        stagedBytes += task.weight
        settling.formUnion(task.task.settledRecords)
        tasks.append(task)
        return wake()
    }

    /// Enters another phase.
    ///
    /// - Returns: Whether the writer must be woken.
    mutating func enter(_ phase: Phase) -> Bool {
        if case .closed = self.phase { return false }
        self.phase = phase
        return wake()
    }

    /// Gives the writer its next group; an empty one lets it rest.
    mutating func nextGroup() -> [StagedTask] {
        var bytes = 0
        var end = taken
        while end < tasks.count, end - taken < Self.groupSize, bytes < Self.groupBytes {
            bytes += tasks[end].weight
            end += 1
        }
        let group = taken == 0 && end == tasks.count ? tasks : Array(tasks[taken..<end])
        taken = end
        if taken == tasks.count {
            tasks = []
            taken = 0
        } else if taken * 2 > tasks.count {
            // Under a load that never ends the list is never empty: what was taken must not stay.
            tasks.removeFirst(taken)
            taken = 0
        }
        if group.isEmpty { isWriterScheduled = false }
        return group
    }

    /// Notes that a group has been written, or refused.
    mutating func finish(_ group: [StagedTask]) {
        stagedBytes -= group.reduce(0) { $0 + $1.weight }
    }

    /// Takes everything that is left.
    mutating func rest() -> [StagedTask] {
        defer {
            finish(Array(tasks[taken...]))
            tasks = []
            taken = 0
        }
        return Array(tasks[taken...])
    }

    /// Notes that a read has found all records before one settled.
    ///
    /// - Parameter count: The number of databases that were opened when the read began.
    mutating func raiseFloor(below record: Record.ID, databaseCount count: Int) {
        guard count == databaseCount, record.number > 0 else { return }
        floor = max(floor, Record.ID(record.number - 1))
    }

    /// Notes that the writer may have opened another database.
    mutating func noteDatabase(_ count: Int) {
        guard count != databaseCount else { return }
        databaseCount = count
        floor = Record.ID(0)
    }

    /// Notes that records are settled on disk as well.
    mutating func forget(_ settled: [Record.ID]) {
        if !settled.isEmpty { settling.subtract(settled) }
    }

    private mutating func wake() -> Bool {
        if case .waiting = phase { return false }
        guard !isWriterScheduled, !tasks.isEmpty else { return false }
        isWriterScheduled = true
        return true
    }
}
