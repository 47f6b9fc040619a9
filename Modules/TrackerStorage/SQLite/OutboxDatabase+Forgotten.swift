import TrackerModels

/// The list of persons to forget.
extension OutboxDatabase {
    func forgottenList() throws(StorageError) -> ForgottenList {
        var list = ForgottenList(changes: try fact(ForgottenList.changesName) ?? 0, salt: try forgottenSalt())
        guard list.changes > 0 else { return list }
        list.hashes = Set(try statement("SELECT hash FROM forgotten").all { $0.int64("hash") })
        return list
    }

    func isForgotten(_ person: Person) throws(StorageError) -> Bool {
        try statement("SELECT 1 FROM forgotten WHERE hash = ?1")
            .hasRow(ForgottenList.hash(of: person, try forgottenSalt()))
    }

    func addForgotten(_ hashes: Set<Int64>) throws(StorageError) {
        for hash in hashes { try statement("INSERT OR IGNORE INTO forgotten VALUES(?1)").run(hash) }
    }

    func removeForgotten(_ hashes: Set<Int64>) throws(StorageError) {
        for hash in hashes { try statement("DELETE FROM forgotten WHERE hash = ?1").run(hash) }
    }

    /// Keeps how often the list has changed.
    func countForgets(_ changes: Int64) throws(StorageError) { try keep(changes, ForgottenList.changesName) }

    /// Puts another list in the place of this one.
    func replaceForgotten(by list: ForgottenList) throws(StorageError) {
        try statement("DELETE FROM forgotten").run()
        try addForgotten(list.hashes)
        try countForgets(list.changes)
        try keep(list.salt, ForgottenList.saltName)
    }

    private func forgottenSalt() throws(StorageError) -> Int64 { try fact(ForgottenList.saltName) ?? 0 }

    private func fact(_ name: String) throws(StorageError) -> Int64? {
        try statement("SELECT value FROM meta WHERE name = ?1").number(name)
    }

    private func keep(_ number: Int64, _ name: String) throws(StorageError) {
        try statement("INSERT OR REPLACE INTO meta VALUES(?1, ?2)").run(name, number)
    }
}

/// What a lane holds of persons who are to be forgotten.
struct ForgottenRecords {
    /// The numbers of records in the queue.
    var queued: [Record.ID] = []
    /// The numbers of records that are kept apart.
    var refused: [Record.ID] = []
    /// The generations that were identified as one of them, or are about to be.
    var generations: Set<Generation> = []
    /// The devices of those generations; `nil` if one of them is not known.
    var devices: Set<DeviceID>? = []
    /// Whether the lane's values name one of them.
    var isStored = false

    /// Whether a device is, or may be, one that they have used.
    func used(_ device: DeviceID?) -> Bool {
        guard let device, !isStored, let devices else { return true }
        return devices.contains(device)
    }
}

extension OutboxDatabase {
    /// Finds what a lane holds of persons.
    ///
    /// Of a session that was identified as one of them everything is theirs: the server has one session too. A record that
    /// is damaged names nobody, and is removed by the next read of the queue.
    func records(
        of list: ForgottenList, in key: RowKey, _ kind: LaneIdentity.Kind, values: [String: StoredState]
    ) throws(StorageError) -> ForgottenRecords {
        var found = ForgottenRecords()
        let (first, last) = (key.records.lowerBound, key.records.upperBound)
        func add(_ row: Statement.Row, _ body: JSONText, to place: WritableKeyPath<ForgottenRecords, [Record.ID]>) {
            guard let route = Route(rawValue: row.int("route")), route.persons(in: body).contains(where: list.contains)
            else { return }
            if route == .profile {
                found.generations.insert(Generation(row.int64("generation")))
            } else {
                found[keyPath: place].append(Record.ID(row.int64("id")))
            }
        }
        try statement(
            """
            SELECT id, message_id, generation, route, occurred, check_sum, body FROM record
            WHERE id BETWEEN ?1 AND ?2 AND route IN (?3, ?4, ?5)
            """
        ).rows(first, last, Route.naming[0].rawValue, Route.naming[1].rawValue, Route.naming[2].rawValue) { row in
            if let (_, body) = Record.content(of: row) { add(row, body, to: \.queued) }
            return true
        }
        try statement(
            "SELECT id, generation, identify_id, route, body FROM refused WHERE id BETWEEN ?1 AND ?2"
        ).rows(first, last) { row in
            if let user = row.text("identify_id"), list.contains(.user(user)) {
                found.generations.insert(Generation(row.int64("generation")))
            }
            // One that cannot be read names nobody.
            let body = try? JSONText(validating: row.bytes("body"), maxDepth: JSONText.maxDepthCeiling)
            if let body { add(row, body, to: \.refused) }
            return true
        }
        try statement("SELECT number, identify_id FROM generation WHERE lane = ?1 AND identify_id IS NOT NULL")
            .rows(key.lane) { row in
                if let user = row.text("identify_id"), list.contains(.user(user)) {
                    found.generations.insert(Generation(row.int64("number")))
                }
                return true
            }
        for generation in found.generations {
            found.queued += try statement("SELECT id FROM record WHERE id BETWEEN ?1 AND ?2 AND generation = ?3")
                .all(first, last, generation.number) { Record.ID($0.int64("id")) }
            found.refused += try statement("SELECT id FROM refused WHERE id BETWEEN ?1 AND ?2 AND generation = ?3")
                .all(first, last, generation.number) { Record.ID($0.int64("id")) }
            if let entry = try entry(of: generation, in: key) {
                if let device = entry.device { found.devices?.insert(device) }
            } else {
                found.devices = nil
            }
        }
        found.isStored = values.contains { name, state in
            guard case .value(let value) = state else { return false }
            return kind.person(named: value.text, under: name).map(list.contains) ?? false
        }
        return found
    }

    /// Removes the bindings of generations.
    func removeGenerations(_ generations: Set<Generation>, in key: RowKey) throws(StorageError) {
        for generation in generations {
            try statement("DELETE FROM generation WHERE lane = ?1 AND number = ?2").run(key.lane, generation.number)
        }
    }
}
