import TrackerModels

/// The changes that were accepted and are not written yet, and what readers must know about them.
struct Stage: Sendable {
    /// The least bound, in bytes.
    private static let leastBound = 1 << 20
    /// The largest transaction.
    private static let groupSize = 1_000
    private static let groupBytes = 8 << 20

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
    var origin = AccountOrigin()
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
        /// What is refused since too much waits: what was added, or older records. It has their answers alone.
        var refused: StagedGroup?

        mutating func refuse(_ append: (inout StagedGroup) -> Void) {
            var group = refused ?? StagedGroup()
            refused = nil
            append(&group)
            refused = group
        }
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
    private var groups: [StagedGroup] = []
    /// What is left of the oldest tasks after some were dropped; it is written with the first group.
    private var survivors = StagedGroup()
    /// How many entries of the first group were dropped or have survived.
    private var passed = 0
    /// An empty group whose buffers were used before.
    private var spare = StagedGroup()
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
        var addition = Addition()
        guard try makesRoom(ifNeeded: task.task.mayBeRefused, &addition) else {
            addition.refuse { $0.append(task) }
            return addition
        }
        if task.guidesDelivery { settling.formUnion(task.task.settledRecords) }
        add(to: &addition) { $0.append(task) }
        return addition
    }

    /// Adds a call, if there is room for it.
    ///
    /// - Parameter answer: Makes what hears of the calls of its client.
    /// - Throws: Why every task is refused.
    mutating func add(
        _ draft: Draft, of owner: RecordOwner, answer: () -> @Sendable (AnsweredRecords) -> Void
    ) throws(StorageError) -> Addition {
        var addition = Addition()
        guard try makesRoom(ifNeeded: true, &addition) else {
            addition.refuse { $0.append(draft, of: owner, isBare: true, answer: answer) }
            return addition
        }
        add(to: &addition) { $0.append(draft, of: owner, answer: answer) }
        return addition
    }

    private mutating func add(to addition: inout Addition, _ append: (inout StagedGroup) -> Void) {
        if groups.last.map(isFull) != false {
            groups.append(spare)
            spare = StagedGroup()
        }
        let last = groups.count - 1
        let before = Counts(groups[last])
        append(&groups[last])
        count(Counts(groups[last]), since: before)
        addition.wakesWriter = wake()
    }

    /// Whether there is room for one more task, perhaps since older records are dropped.
    private mutating func makesRoom(ifNeeded isNeeded: Bool, _ addition: inout Addition) throws(StorageError) -> Bool {
        switch phase {
        case .failed(let error): throw error
        case .closed: throw StorageError(.closed, "The outbox is closed")
        case .waiting, .open: break
        }
        guard isNeeded, stagedBytes >= bound else { return true }
        guard overflow == .dropOldest else { return false }
        addition.refuse { makeRoom(&$0) }
        // What the writer has taken is about to be written: beside it there is always room for the newest call.
        return stagedBytes - takenBytes < bound
    }

    /// - Returns: Whether the writer must be woken.
    mutating func enter(_ phase: Phase) -> Bool {
        if case .closed = self.phase { return false }
        self.phase = phase
        return wake()
    }

    /// The writer's next group; an empty one if there is nothing to write.
    mutating func nextGroup() -> StagedGroup {
        guard !isEmpty else {
            isWriterScheduled = false
            if spare.isLarge { spare = StagedGroup() }
            return StagedGroup()
        }
        let group = popGroup()
        takenBytes += group.weight
        return group
    }

    /// Removes a group that was written or refused.
    mutating func finish(_ group: borrowing StagedGroup) {
        takenBytes -= group.weight
        count(Counts(), since: Counts(group))
    }

    /// Takes an empty group to fill its buffers again.
    mutating func reuse(_ group: StagedGroup) { spare = group }

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

    private var isEmpty: Bool { groups.isEmpty && survivors.isEmpty }

    private func isFull(_ group: StagedGroup) -> Bool {
        // What is dropped leaves its bytes in the group, so a group is a small part of the bound.
        group.entries.count >= Self.groupSize || group.byteCount >= min(Self.groupBytes, bound / 4)
    }

    /// Takes the oldest tasks, as many as one transaction has, and what has survived before them.
    private mutating func popGroup() -> StagedGroup {
        var group = groups.isEmpty ? StagedGroup() : groups.removeFirst()
        if survivors.isEmpty {
            if passed > 0 { group.removeFirst(passed) }
        } else {
            for entry in group.entries.dropFirst(passed) { survivors.append(entry, of: group) }
            survivors.outlive(group)
            group = survivors
        }
        (survivors, passed) = (StagedGroup(), 0)
        return group
    }

    /// Drops the oldest records until there is room. What else their calls change stays.
    ///
    /// - Parameter dropped: Gets the records that were dropped.
    private mutating func makeRoom(_ dropped: inout StagedGroup) {
        while stagedBytes >= bound, !groups.isEmpty {
            let entry = groups[0].entries[passed]
            let before = Counts(groups[0]).adding(Counts(survivors))
            groups[0].uncount(entry)
            if case .record(let record) = entry, !record.isEvicted {
                dropped.append(entry, of: groups[0], isBare: true)
                if record.isLasting { survivors.append(entry, of: groups[0], isEvicted: true) }
            } else {
                survivors.append(entry, of: groups[0])
            }
            count(Counts(groups[0]).adding(Counts(survivors)), since: before)
            passed += 1
            if passed == groups[0].entries.count {
                dropped.outlive(groups.removeFirst())
                passed = 0
            }
        }
    }

    /// What the stage counts of its groups.
    private struct Counts {
        var bytes = 0
        var records = 0
        var deliveryTasks = 0

        init() {}

        init(_ group: borrowing StagedGroup) {
            (bytes, records, deliveryTasks) = (group.weight, group.records, group.deliveryTasks)
        }

        func adding(_ other: Counts) -> Counts {
            var sum = self
            sum.bytes += other.bytes
            sum.records += other.records
            sum.deliveryTasks += other.deliveryTasks
            return sum
        }
    }

    private mutating func count(_ now: Counts, since before: Counts) {
        stagedBytes += now.bytes - before.bytes
        records += now.records - before.records
        deliveryTasks += now.deliveryTasks - before.deliveryTasks
    }

    private mutating func wake() -> Bool {
        if case .waiting = phase { return false }
        guard !isWriterScheduled, !isEmpty else { return false }
        isWriterScheduled = true
        return true
    }
}
