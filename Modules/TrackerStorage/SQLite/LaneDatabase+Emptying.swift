extension LaneDatabase {
    /// How many records of other lanes are taken out and put back for the sake of one that is emptied.
    private static let mostSpared = 1_000

    /// Removes all records of a lane.
    ///
    /// SQLite has to write every page that loses its rows one by one, but frees a whole table without writing its pages.
    /// Mostly the lane has nearly all records there are: then the few others are set aside meanwhile.
    func deleteRecords(of key: LaneKey) throws(StorageError) -> [RecordTable.Leaver] {
        let (first, last) = (key.records.lowerBound, key.records.upperBound)
        let others = "SELECT * FROM record WHERE id < \(first) UNION ALL SELECT * FROM record WHERE id > \(last)"
        let count = try connection.number("SELECT count(*) FROM (\(others) LIMIT \(Self.mostSpared + 1))") ?? 0
        guard count <= Self.mostSpared else { return try records.delete(key.records) }
        let leavers = try records.leavers(key.records)
        try connection.execute(
            """
            CREATE TEMP TABLE spared AS \(others);
            DELETE FROM record;
            INSERT INTO record SELECT * FROM temp.spared;
            DROP TABLE temp.spared
            """
        )
        return leavers
    }
}
