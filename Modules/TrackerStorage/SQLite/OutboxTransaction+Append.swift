import TrackerModels

extension OutboxTransaction {
    /// Queues a record, or refuses it.
    mutating func append(_ draft: Draft) throws(StorageError) -> Effect {
        var (draft, group) = (draft, StagedGroup())
        // The change that it belongs to is answered.
        draft.stamp = draft.stamp.unheard
        group.append(draft, of: RecordOwner(draft.stamp, run: 0)) { { _ in } }
        guard case .record(let record)? = group.entries.first else { return .done }
        return try append(record, of: group)
    }

    /// Queues a record of a group, or refuses it.
    mutating func append(_ record: StagedRecord, of group: StagedGroup) throws(StorageError) -> Effect {
        guard consent != .denied else { return .refused(.trackingNotAllowed) }
        let isPending = consent == .pending || (configuration.bindsSessions && row.entry.session == nil)
        let outcome: IdempotencyKey.Outcome = isPending || record.isPending ? .pending : .queued
        guard record.hasCallerKey else { return try append(record, of: group, isPending: isPending, outcome) }
        guard try queue.claim(group.bytes[record.messageID.range], outcome) else {
            switch try queue.outcome(of: group.messageID(of: record)) {
            case .pending: return .pending
            case .moved: return outcome == .pending ? .pending : .queued
            case .queued, .applied, nil: return .queued
            }
        }
        let effect = try append(record, of: group, isPending: isPending, outcome)
        if case .refused = effect { try queue.takeBackClaim(of: group.messageID(of: record)) }
        return effect
    }

    /// Queues a record with a new key, or refuses it.
    private mutating func append(
        _ record: StagedRecord, of group: StagedGroup, isPending: Bool, _ outcome: IdempotencyKey.Outcome
    ) throws(StorageError) -> Effect {
        if let refusal = record.refusal { return .refused(refusal) }
        let addition = record.sessionMetadata.map { group.text(at: $0) }
        let values = group.values(of: record)
        if record.isEvicted {
            if row.forgets > 0, try isForgotten(values: values) { return .refused(.forgotten) }
            try change(addition, values)
            return .refused(.queueFull)
        }
        let limits = configuration.limits
        var body = try body(of: record, in: group, values)
        if row.forgets > 0, try isForgotten(record.route, JSONText(accepted: body), values: values) {
            return .refused(.forgotten)
        }
        if let inspect = configuration.inspect {
            switch inspect(group.messageID(of: record), record.route, JSONText(accepted: body)) {
            case .pass: break
            case .change(let changed): body = changed.bytes[...]
            case .refuse(let why):
                try queue.keepBroken(record, of: group, body, why)
                // The user that an identification names is the user all the same: what follows is theirs.
                try change(addition, values)
                return .refused(.plan)
            }
        }
        guard body.count <= min(limits.maxRecordBytes, limits.maxBytes) else { return .refused(.tooLarge) }
        // They go with every later event, which needs room beside them.
        if let addition, try metadata(with: addition).byteCount > limits.maxRecordBytes / 2 {
            return .refused(.tooLarge)
        }
        if try !hasRoom(for: body.count, isPending: isPending) {
            try queue.dropExpired(at: record.acceptedAt)
            guard try hasRoom(for: body.count, isPending: isPending) else { return .refused(.queueFull) }
        }

        try queue.insert(record, of: group, body: body)
        if let onQueued = configuration.onQueued { onQueued(group.messageID(of: record), JSONText(accepted: body)) }
        try change(addition, values)
        try queue.evict()
        return outcome == .pending ? .pending : .queued
    }

    /// Changes what a call changes besides its record.
    private mutating func change(_ addition: JSONText?, _ values: [ValueChange]) throws(StorageError) {
        if let addition { try merge(addition) }
        try make(values)
    }

    /// Continues the session of another site.
    mutating func continueSession(_ session: SessionID, _ link: Draft) throws(StorageError) -> Effect {
        guard consent != .denied else { return .refused(.trackingNotAllowed) }
        let current = row.entry.session
        if let current, current != session {
            try ensureDevice()
            return try append(link)
        }
        // A call that is made again, perhaps after a reset, must not bring the session back.
        guard try queue.isFirst(link.stamp.hasCallerKey ? link.stamp.messageID : nil) else { return .queued }
        try ensureDevice()
        if current == nil { try bind(row.generation, session) }
        return .queued
    }

    /// Whether every record of the lane waits for a session or for consent.
    private func isAllPending() throws(StorageError) -> Bool {
        if consent == .pending { return true }
        return try !database.hasBoundRecords(row.key)
    }

    /// Whether a record may come in: within the bounds, or where the oldest make room for it.
    private func hasRoom(for bytes: Int, isPending: Bool) throws(StorageError) -> Bool {
        let limits = configuration.limits
        if isPending, let most = limits.maxPendingRecords, row.counters.queued >= most, try isAllPending() {
            return false
        }
        return limits.overflow == .dropOldest || !queue.isFull(for: bytes)
    }

    private mutating func body(
        of record: StagedRecord, in group: StagedGroup, _ changes: [ValueChange]
    ) throws(StorageError) -> ArraySlice<UInt8> {
        switch record.body {
        case .complete(let place): return group.bytes[place.range]
        case .template(let pieces, let count):
            var writer = JSONObjectWriter(reservingCapacity: count + 64)
            for index in pieces.range {
                switch group.pieces[index] {
                case .fixed(let members): writer.append(members: group.bytes[members.range])
                case .part(let part): writer.append(membersOf: try members(of: group.parts[part], changes))
                }
            }
            return writer.finish().bytes[...]
        case .withSessionMetadata(let place, let headEnd):
            guard let metadata = try sessionMetadata(), metadata.hasMembers else { return group.bytes[place.range] }
            return EventBody(group.text(at: place), headEnd: headEnd).text(with: metadata).bytes[...]
        }
    }

    /// Adds to the session's metadata.
    ///
    /// - Parameter isOlder: Whether what is there already counts where both have a key.
    mutating func merge(_ addition: JSONText, isOlder: Bool = false) throws(StorageError) {
        guard addition.hasMembers else { return }
        let merged = try metadata(with: addition, isOlder: isOlder)
        // Without a record, such as one that is refused, nobody has looked whether later events have room for them.
        guard merged.byteCount <= configuration.limits.maxRecordBytes / 2 else { return }
        try save(merged.text, .sessionMetadata)
        metadata = .some(merged)
    }

    private mutating func metadata(with addition: JSONText, isOlder: Bool = false) throws(StorageError) -> JSONText {
        let own = try sessionMetadata()
        return JSONText.merging((isOlder ? [addition, own] : [own, addition]).compactMap { $0 })
    }

    private mutating func sessionMetadata() throws(StorageError) -> JSONText? {
        if let metadata { return metadata }
        // A body that is not JSON is damage, and cannot be sent.
        let stored = try value(.sessionMetadata).flatMap { text in try? JSONText(validating: text) }
        metadata = .some(stored)
        return stored
    }
}

extension OutboxTransaction {
    /// How many parts are kept: those of calls with options of their own are not met again.
    private static let mostWrittenParts = 8

    /// Writes an object with the values as `changes` leave them.
    private mutating func write(_ template: BodyTemplate, _ changes: [ValueChange]) throws(StorageError) -> JSONText {
        var writer = JSONObjectWriter(reservingCapacity: template.byteCount + 64)
        for member in template.members {
            switch member {
            case .fixed(let object): writer.append(membersOf: object)
            case .part(let part): writer.append(membersOf: try members(of: part, changes))
            }
        }
        return writer.finish()
    }

    /// A part as an object of its own, which is written once for all records that have it, until a value changes.
    private mutating func members(
        of part: BodyTemplate.Part, _ changes: [ValueChange]
    ) throws(StorageError) -> JSONText {
        guard changes.isEmpty else { return try write(part, changes) }
        for index in writtenParts.indices where writtenParts[index].part === part { return writtenParts[index].members }
        let members = try write(part, changes)
        if writtenParts.count == Self.mostWrittenParts { writtenParts = [] }
        writtenParts.append((part, members))
        return members
    }

    private mutating func write(_ part: BodyTemplate.Part, _ changes: [ValueChange]) throws(StorageError) -> JSONText {
        var writer = JSONObjectWriter(reservingCapacity: part.byteCount + 64)
        switch part.content {
        case .value(let key, let otherwise):
            if let text = try text(of: key, changes) {
                writer.append(part.name, text)
            } else if let otherwise {
                writer.append(part.name, otherwise)
            }
        case .id(let key): writer.append(part.name, try id(key))
        case .object(let template):
            let object = try write(template, changes)
            if object.hasMembers { writer.append(part.name, object) }
        }
        return writer.finish()
    }

    private mutating func text(of key: StoredKey, _ changes: [ValueChange]) throws(StorageError) -> String? {
        if let change = changes.last(where: { $0.key == key }) { return change.text }
        return try known(key)
    }

    private mutating func id(_ key: StoredKey) throws(StorageError) -> String {
        if let id = try known(key) { return id }
        let id = DeviceID.random().text
        try store(key, id, nil)
        return id
    }

    /// A value, which is read once for all records that contain it.
    private mutating func known(_ key: StoredKey) throws(StorageError) -> String? {
        if let known = knownValues[key] { return known }
        let value = try value(key)
        knownValues[key] = .some(value)
        return value
    }
}
