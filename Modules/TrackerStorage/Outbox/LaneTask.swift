import TrackerModels

/// A task for the writer.
enum LaneTask: Sendable {
    /// To change the lane.
    case change(LaneChange)
    /// To look at a value again and put right what is wrong with it.
    case heal(StoredKey)
    /// To remove records that cannot be read.
    case lose([Record.ID])
    /// To see whether the database is sound.
    case inspect

    /// The records that leave the queue by this task, even if the disk refuses it.
    var settledRecords: [Record.ID] {
        switch self {
        case .change(.delivered(let ids, _)), .change(.drop(let ids, _)), .lose(let ids): ids
        case .change, .heal, .inspect: []
        }
    }

    /// Whether what the task deletes must not be found in any file.
    var erases: Bool {
        switch self {
        case .change(.reset(all: true, _)), .change(.consent(.denied, _)): true
        default: false
        }
    }

    /// Whether the task is a call that may be refused when too much waits.
    var mayBeRefused: Bool {
        switch self {
        case .change(.append), .change(.continueSession), .change(.set): true
        default: false
        }
    }

    /// Whether the task must outlive a loss of power, even if the configuration does not ask for that.
    var isLasting: Bool {
        if case .change(let change) = self { change.isBackedUp } else { false }
    }
}

/// A task and its completion.
struct StagedTask: Sendable {
    /// What is to be done.
    var task: LaneTask
    /// Called with the result.
    var completion: @Sendable (ChangeResult) -> Void = { _ in }

    /// About how many bytes it adds to a transaction.
    var weight: Int {
        guard case .change(.append(let draft)) = task else { return 256 }
        switch draft.body {
        case .complete(let body): return body.byteCount + 256
        case .withSessionMetadata(let head, let own): return head.byteCount + (own?.byteCount ?? 0) + 256
        case .template(let template): return template.byteCount + 256
        }
    }
}
