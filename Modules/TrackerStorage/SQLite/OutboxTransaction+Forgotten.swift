import TrackerModels

/// Persons to forget, in all lanes of the folder.
extension OutboxTransaction {
    /// Puts persons on the list, and erases what there is of them.
    mutating func forget(_ persons: [Person]) throws(StorageError) -> Effect {
        var list = try database.forgottenList()
        let added = Set(persons.map { ForgottenList.hash(of: $0, list.salt) }).subtracting(list.hashes)
        guard list.hashes.count + added.count <= ForgottenList.limit else { return .refused(.queueFull) }
        list.hashes.formUnion(added)
        try database.addForgotten(added)
        try countForget(&list)
        return .changed(try eraseForgotten(list))
    }

    /// Takes persons off the list.
    ///
    /// - Returns: How many were on it.
    mutating func unforget(_ persons: [Person]) throws(StorageError) -> Int {
        var list = try database.forgottenList()
        let removed = Set(persons.map { ForgottenList.hash(of: $0, list.salt) }).intersection(list.hashes)
        guard !removed.isEmpty else { return 0 }
        try database.removeForgotten(removed)
        try countForget(&list)
        return removed.count
    }

    /// Takes the list of the backups, if the database is older: what it has of those persons is erased again. So it is if
    /// an erasure was broken off, since what is left may have come back from a damaged database.
    mutating func catchUp(with backup: ForgottenList?) throws(StorageError) {
        if let backup, backup.changes > row.forgets {
            try database.replaceForgotten(by: backup)
            row.forgets = backup.changes
            _ = try eraseForgotten(backup)
        } else if row.forgets > 0, try Erasure.left(in: database) == .everything {
            _ = try eraseForgotten(try database.forgottenList())
        }
    }

    /// Whether a call is of a person who is to be forgotten, or makes one the lane's user.
    ///
    /// - Parameters:
    ///   - body: What its record would carry.
    ///   - values: What it changes of the client's own values.
    mutating func isForgotten(
        _ route: Route, _ body: JSONText, values: [ValueChange]
    ) throws(StorageError) -> Bool {
        for person in route.persons(in: body) where try isForgotten(person) { return true }
        return try isForgotten(values: values)
    }

    /// The same of a call without its record.
    mutating func isForgotten(values: [ValueChange]) throws(StorageError) -> Bool {
        for change in values {
            guard let text = change.text,
                let person = configuration.lane.kind.person(named: text, under: change.key.name)
            else { continue }
            if try isForgotten(person) { return true }
        }
        guard configuration.bindsSessions, let user = row.entry.identifyID else { return false }
        return try isForgotten(user)
    }

    mutating func isForgotten(_ user: UserID) throws(StorageError) -> Bool { try isForgotten(.user(user.text)) }

    private mutating func isForgotten(_ person: Person) throws(StorageError) -> Bool {
        guard row.forgets > 0 else { return false }
        let bytes = person.bytes
        if let known = knownPersons[bytes] { return known }
        let isForgotten = try database.isForgotten(person)
        knownPersons[bytes] = isForgotten
        return isForgotten
    }

    private mutating func countForget(_ list: inout ForgottenList) throws(StorageError) {
        list.changes += 1
        try database.countForgets(list.changes)
        row.forgets = list.changes
        knownPersons = [:]
        changesValues = true
    }

    /// Erases what all lanes hold of the persons on the list.
    ///
    /// - Returns: How many records there were, queued or kept apart.
    private mutating func eraseForgotten(_ list: ForgottenList) throws(StorageError) -> Int {
        changesValues = true
        erasure = .everything
        var count = try eraseForgotten(list, of: configuration.lane.kind)
        for other in try database.lanes(besides: row.key) {
            count += try eraseForgotten(list, in: other.key, of: other.identity.kind)
        }
        return count
    }

    private mutating func eraseForgotten(
        _ list: ForgottenList, of kind: LaneIdentity.Kind
    ) throws(StorageError) -> Int {
        let store = SQLiteKeyValueStore(database, row, .lane)
        let values = try store.states()
        let found = try database.records(of: list, in: row.key, kind, values: values)
        let removed = try remove(found, in: row.key)
        try queue.report(removed, .forgotten)
        if kind != .session {
            if found.isStored { try store.removePerson(values) }
            (knownValues, writtenParts) = ([:], [])
        } else if !found.generations.isEmpty || found.isStored {
            if found.isStored || found.generations.contains(row.generation) { try beginGeneration(GenerationEntry()) }
            if found.used(try value(.deviceID).flatMap(DeviceID.init)) {
                try replaceDevice()
            }
        }
        return removed.count + found.refused.count
    }

    private mutating func eraseForgotten(
        _ list: ForgottenList, in key: RowKey, of kind: LaneIdentity.Kind
    ) throws(StorageError) -> Int {
        guard var other = try database.lane(key, prefix: "") else { return 0 }
        let store = SQLiteKeyValueStore(database, other, .lane)
        let values = try store.states()
        let found = try database.records(of: list, in: key, kind, values: values)
        let removed = try remove(found, in: key)
        // As with a denial: the reports of this outbox add up to its own account.
        try queue.account(for: removed, as: .forgotten, of: &other)
        if kind != .session {
            if found.isStored { try store.removePerson(values) }
        } else if !found.generations.isEmpty || found.isStored {
            if found.isStored || found.generations.contains(other.generation) {
                try store.clear()
                other.generation = Generation(other.generation.number + 1)
            }
            try forgetDevice(of: other, found)
        }
        try database.save(other)
        return removed.count + found.refused.count
    }

    private func remove(_ found: ForgottenRecords, in key: RowKey) throws(StorageError) -> [RemovedRecord] {
        var removed: [RemovedRecord] = []
        for range in QueueTransaction.ranges(found.queued, within: key.records) {
            removed += try database.deleteRecords(range)
        }
        for range in QueueTransaction.ranges(found.refused, within: key.records) { try database.deleteRefused(range) }
        try database.removeGenerations(found.generations, in: key)
        return removed
    }

    /// Removes the device of another lane's tenant, if persons have, or may have, used it.
    private mutating func forgetDevice(of other: LaneRow, _ found: ForgottenRecords) throws(StorageError) {
        var other = other
        let isOwnTenant = other.key.tenant == row.key.tenant
        if !isOwnTenant { other.tenantGeneration += 1 }
        let store = SQLiteKeyValueStore(database, other, .tenant)
        for (name, state) in try store.states() where name.hasSuffix(StoredKey.deviceID.name) {
            if case .value(let value) = state, !found.used(DeviceID(value.text)) { return }
            try store.remove(name)
        }
        try database.forgetDevice(of: other.key, generation: other.generation)
        if isOwnTenant {
            try replaceDevice()
        } else {
            try database.saveTenant(of: other)
        }
    }

    /// Removes the device of this lane's tenant. Somebody else's session goes on, with another one.
    private mutating func replaceDevice() throws(StorageError) {
        try raiseTenantGeneration()
        try remove(.deviceID)
        if row.entry.session != nil { try ensureDevice() }
    }
}

extension SQLiteKeyValueStore {
    /// Removes all that a lane without sessions knows of its user. The traces that stay show that backups are old.
    fileprivate func removePerson(_ values: [String: StoredState]) throws(StorageError) {
        let names = ["user_id", "anonymous_id", "group_id", "advertising_id"]
        for key in values.keys where names.contains(where: key.hasSuffix) { try remove(key) }
    }
}
