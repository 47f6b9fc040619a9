import TrackerModels

/// What the writer does in a transaction for one lane: a change that was asked for, or a repair of its own.
enum WriterTask: Sendable {
    case change(LaneChange)
    /// To do something that was decided in a database, unless the lane is in another one by now.
    indirect case decided(WriterTask, in: DatabaseID)
    /// To look at a value again and put right what is wrong with it.
    case heal(StoredKey)
    /// To remove records that cannot be read.
    case lose([Record.ID])
    /// To see whether the database is sound.
    case inspect

    /// A task that was decided in a database, if one is known.
    static func of(_ database: DatabaseID?, _ task: WriterTask) -> WriterTask {
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
        case .change(let change): change.settledRecords
        case .lose(let ids): ids
        case .decided(let task, _): task.settledRecords
        case .heal, .inspect: []
        }
    }

    /// Whether the next process to deliver the lane must find the task done.
    var guidesDelivery: Bool {
        switch self {
        case .change(let change): change.traits.contains(.guidesDelivery)
        case .decided(let task, _): task.guidesDelivery
        case .lose: true
        case .heal, .inspect: false
        }
    }

    /// Whether what the task deletes must not be found in any file.
    var erases: Bool { decision?.change.traits.contains(.erases) ?? false }

    /// How many records the task adds to the queue, unless they are refused.
    var records: Int {
        if case .change(.continueSession) = self { 1 } else { 0 }
    }

    /// Whether the task is a call that may be refused when too much waits.
    var mayBeRefused: Bool {
        switch self {
        case .change(.continueSession), .change(.set): true
        default: false
        }
    }

    /// How many sequence numbers the task may give.
    var numbers: Int {
        switch self {
        case .change(.continueSession): 1
        case .change(.requeue(let ids)): ids.count
        case .decided(let task, _): task.numbers
        default: 0
        }
    }

    var isLasting: Bool { decision?.change.traits.contains(.backedUp) ?? false }
}
