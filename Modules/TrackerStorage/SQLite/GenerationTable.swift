import TrackerModels

/// What the generations of lanes are bound to.
///
/// The current generation and those that still have records have a row, if they are bound to anything.
struct GenerationTable {
    private let readStatement: Statement
    private let saveStatement: Statement
    private let pruneStatement: Statement
    private let forgetStatement: Statement
    private let boundStatement: Statement

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
        boundStatement = try connection.prepare(
            """
            SELECT 1 FROM record WHERE id BETWEEN ?1 AND ?2 AND generation IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            ) LIMIT 1
            """
        )
        forgetStatement = try connection.prepare(
            """
            UPDATE generation SET device = NULL
            WHERE session IS NULL AND lane IN (SELECT id FROM lane WHERE brand = ?1) AND device IS NOT NULL
            """
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

    /// Whether a lane holds records whose generation has a session.
    func hasBoundRecords(_ key: LaneKey) throws(StorageError) -> Bool {
        try boundStatement.first(key.records.lowerBound, key.records.upperBound, key.lane) { _ in true } ?? false
    }

    /// Removes the brand's device from the generations without a session, in all lanes.
    func forgetDevice(_ key: LaneKey) throws(StorageError) {
        try forgetStatement.run(key.brand)
    }
}
