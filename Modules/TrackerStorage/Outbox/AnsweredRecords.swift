package import TrackerModels

/// What became of the records of one client that stood side by side in a group.
package struct AnsweredRecords: Sendable {
    private let group: StagedGroup
    package let indices: Range<Int>
    private let effects: [ChangeResult.Effect]?
    /// The lane after the transaction; `nil` if there was none.
    package let lane: LaneState?
    private let refusal: RefusalReason

    init(
        group: StagedGroup, indices: Range<Int>, effects: [ChangeResult.Effect]?, lane: LaneState?,
        refusal: RefusalReason
    ) {
        self.group = group
        self.indices = indices
        self.effects = effects
        self.lane = lane
        self.refusal = refusal
    }

    /// Whether it is on disk: `queued`, `pending` or `refused`.
    package func effect(_ index: Int) -> ChangeResult.Effect {
        switch effects?[index] {
        case .failed, nil: .refused(refusal)
        case let effect?: effect
        }
    }

    package func number(_ index: Int) -> Int { record(index).number }
    package func isNoted(_ index: Int) -> Bool { record(index).isNoted }
    package func messageID(_ index: Int) -> MessageID { group.messageID(of: record(index)) }
    package func name(_ index: Int) -> String {
        String(decoding: group.bytes[record(index).name.range], as: UTF8.self)
    }

    /// Tells the caller what became of its call.
    package func answer(_ index: Int, _ answer: CallAnswer) {
        let record = record(index)
        if let receiver = record.receiver { group.receivers[receiver].receive(answer, of: record.call) }
    }

    /// Gives the callers of queued records, from a place on, what they were promised: as many as the first one's receiver
    /// has in a row.
    ///
    /// - Returns: How many these are; 0 if there is no promise.
    package func keepPromises(from first: Int) -> Int {
        let start = record(first)
        guard !start.promise.isEmpty, let receiver = start.receiver else { return 0 }
        var calls: [(number: Int, end: Int)] = []
        var index = first
        while index < indices.upperBound, case .queued = effect(index), case let next = record(index),
            next.receiver == receiver, !next.promise.isEmpty
        {
            calls.append((next.call, next.promise.range.upperBound))
            index += 1
        }
        let end = calls[calls.count - 1].end
        group.receivers[receiver].keep(group.promises[start.promise.range.lowerBound..<end], of: calls)
        return calls.count
    }

    private func record(_ index: Int) -> StagedRecord {
        guard case .record(let record) = group.entries[index] else { preconditionFailure("No record has an owner") }
        return record
    }
}
