import TrackerModels

/// What the generations of lanes are bound to.
///
/// The current generation and those that still have records have a row, if there is anything to say of them.
struct GenerationTable {
    private let readStatement: Statement
    private let saveStatement: Statement
    private let pruneStatement: Statement
    private let moveStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        readStatement = try connection.prepare(
            "SELECT session, device, identify_id FROM generation WHERE lane = ?1 AND number = ?2"
        )
        saveStatement = try connection.prepare(
            """
            INSERT INTO generation(lane, number, session, device, identify_id, was_bound)
            VALUES(?1, ?2, ?3, ?4, ?5, ?3 IS NOT NULL)
            ON CONFLICT DO UPDATE SET session = excluded.session, device = excluded.device,
                identify_id = excluded.identify_id, was_bound = was_bound OR excluded.was_bound
            """
        )
        pruneStatement = try connection.prepare("DELETE FROM generation WHERE lane = ?1 AND number < ?2")
        moveStatement = try connection.prepare(
            "UPDATE record SET generation = ?4 WHERE id BETWEEN ?1 AND ?2 AND generation = ?3"
        )
    }

    /// Reads a generation's binding; `nil` if it has no row.
    func entry(_ key: LaneKey, _ generation: Generation) throws(StorageError) -> GenerationEntry? {
        try readStatement.first(key.lane, generation.number) {
            GenerationEntry(
                session: $0.text(0).flatMap(SessionID.init), device: $0.text(1).flatMap(DeviceID.init),
                identifyID: $0.text(2).flatMap(UserID.init)
            )
        }
    }

    /// Writes a generation's binding.
    func save(_ entry: GenerationEntry, _ key: LaneKey, _ generation: Generation) throws(StorageError) {
        try saveStatement.run(
            key.lane, generation.number, entry.session?.text, entry.device?.text, entry.identifyID?.text
        )
    }

    /// Forgets the generations before one.
    func prune(_ key: LaneKey, before generation: Generation) throws(StorageError) {
        try pruneStatement.run(key.lane, generation.number)
    }

    /// Moves the records of one generation to another.
    func moveRecords(_ key: LaneKey, from old: Generation, to new: Generation) throws(StorageError) {
        try moveStatement.run(key.records.lowerBound, key.records.upperBound, old.number, new.number)
    }
}
