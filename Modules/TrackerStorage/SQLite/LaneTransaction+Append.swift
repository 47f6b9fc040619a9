import TrackerModels

extension LaneTransaction {
    /// Queues a record, or refuses it.
    mutating func append(_ draft: Draft) throws(StorageError) -> Effect {
        guard consent != .denied else { return .refused(.trackingNotAllowed) }
        let isPending = consent == .pending || (configuration.bindsSessions && row.entry.session == nil)
        let outcome: IdempotencyKeyTable.Outcome = isPending || draft.isHeld ? .pending : .queued
        guard draft.hasCallerKey else { return try append(draft, isPending: isPending, outcome) }
        guard try database.idempotencyKeys.claim(row.key, draft.messageID, outcome) else {
            let first = try database.idempotencyKeys.outcome(row.key, draft.messageID)
            return first == .pending ? .pending(draft.messageID) : .queued(draft.messageID)
        }
        let effect = try append(draft, isPending: isPending, outcome)
        if case .refused = effect { try database.idempotencyKeys.forget(row.key, draft.messageID) }
        return effect
    }

    /// Queues a record with a new key, or refuses it.
    private mutating func append(
        _ draft: Draft, isPending: Bool, _ outcome: IdempotencyKeyTable.Outcome
    ) throws(StorageError) -> Effect {
        if let refusal = draft.refusal { return .refused(refusal) }
        let limits = configuration.limits
        let body = try body(of: draft)
        guard body.byteCount <= min(limits.maxRecordBytes, limits.maxBytes) else { return .refused(.tooLarge) }
        if isPending, let most = limits.maxPendingRecords, row.counters.queued >= most, try isAllPending() {
            return .refused(.queueFull)
        }
        if limits.overflow == .refuseNew, !hasRoom(for: body) { return .refused(.queueFull) }

        let number = row.key.record(nextSequence())
        try database.records.insert(draft, number: number, generation: row.generation, body: body, run: run)
        row.counters.accepted += 1
        row.counters.queued += 1
        row.counters.queuedBytes += body.byteCount
        if let addition = draft.sessionMetadata { try merge(addition) }
        try make(draft.values)
        try evict()
        return outcome == .pending ? .pending(draft.messageID) : .queued(draft.messageID)
    }

    /// Continues the session of another site.
    mutating func goOn(with session: SessionID, _ link: Draft) throws(StorageError) -> Effect {
        guard consent != .denied else { return .refused(.trackingNotAllowed) }
        try ensureDevice()
        guard let current = row.entry.session else {
            try bind(row.generation, session)
            return .queued(link.messageID)
        }
        return current == session ? .queued(link.messageID) : try append(link)
    }

    /// The brand's consent.
    private var consent: Consent { row.consent ?? configuration.initialConsent ?? .granted }

    /// Whether every record of the lane waits for a session or for consent.
    private func isAllPending() throws(StorageError) -> Bool {
        if consent == .pending { return true }
        return try !database.generations.hasBoundRecords(row.key)
    }

    private func hasRoom(for body: JSONText) -> Bool {
        let limits = configuration.limits
        return row.counters.queued < limits.maxRecords && row.counters.queuedBytes + body.byteCount <= limits.maxBytes
    }

    private mutating func body(of draft: Draft) throws(StorageError) -> JSONText {
        switch draft.body {
        case .complete(let body):
            return body
        case .template(let template):
            return try write(template, draft.values)
        case .withSessionMetadata(let head, let own):
            let parts = [try sessionMetadata(), own].compactMap { $0 }.filter { $0.hasMembers }
            guard let first = parts.first else { return head }
            var writer = JSONObjectWriter(reservingCapacity: head.byteCount + parts.reduce(16) { $0 + $1.byteCount })
            writer.append(membersOf: head)
            writer.append("data", parts.count == 1 ? first : JSONText.merging(parts))
            return writer.finish()
        }
    }

    private mutating func merge(_ addition: JSONText) throws(StorageError) {
        guard addition.hasMembers else { return }
        let merged = JSONText.merging([try sessionMetadata(), addition].compactMap { $0 })
        metadata = .some(merged)
        try save(merged.text, .sessionMetadata)
    }

    private mutating func sessionMetadata() throws(StorageError) -> JSONText? {
        if let metadata { return metadata }
        // A body that is not JSON is damage, and cannot be sent.
        let stored = try value(.sessionMetadata).flatMap { text in try? JSONText(validating: text) }
        metadata = .some(stored)
        return stored
    }
}
