import TrackerModels

/// What the writer is asked to do.
enum LaneTask: Sendable {
    /// To change the lane.
    case change(LaneChange)
    /// To look at a value again and put right what is wrong with it.
    case heal(StoredKey)
}

/// A task with the one who waits for it.
struct StagedTask: Sendable {
    /// What is to be done.
    var task: LaneTask
    /// Who is told.
    var completion: @Sendable (ChangeResult) -> Void

    /// About how many bytes it adds to a transaction.
    var weight: Int {
        guard case .change(.append(let draft)) = task else { return 256 }
        switch draft.body {
        case .complete(let body): return body.byteCount + 256
        case .withSessionMetadata(let head, let own): return head.byteCount + (own?.byteCount ?? 0) + 256
        }
    }
}
