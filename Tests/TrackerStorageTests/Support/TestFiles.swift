import Foundation
import TestSupport
import TrackerModels

@testable import TrackerStorage

extension TemporaryFolder {
    var state: StateFolder { StateFolder(path: path) }

    /// Runs SQL on the database behind the outbox's back.
    func execute(_ sql: String) throws {
        try Connection(state.database, .readWrite).execute(sql)
    }

    /// The number that SQL gives.
    func number(_ sql: String) throws -> Int64? {
        try Connection(state.database, .readWrite).number(sql)
    }

    /// Overwrites the first page of a table.
    func damage(_ table: String) throws {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        guard let page = try number("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") else {
            throw StorageError(.failed, "There is no table \(table)")
        }
        var data = try read("tracker.sqlite3")
        data.replaceSubrange(Int(page - 1) * 4096..<Int(page) * 4096, with: repeatElement(0xFF, count: 4096))
        try write(data, to: "tracker.sqlite3")
    }

    /// Makes the database one of version 8, in which some names were others.
    func giveFormerNames() throws {
        try execute(
            """
            ALTER TABLE tenant RENAME COLUMN generation TO epoch;
            ALTER TABLE tenant RENAME TO brand;
            ALTER TABLE lane RENAME COLUMN tenant TO brand;
            ALTER TABLE lane RENAME COLUMN removed TO settled;
            ALTER TABLE value RENAME COLUMN tenant TO brand;
            ALTER TABLE record RENAME COLUMN has_caller_key TO is_given;
            ALTER TABLE refused RENAME COLUMN has_caller_key TO is_given;
            DROP INDEX caller_key_removed;
            ALTER TABLE caller_key RENAME COLUMN removed TO settled;
            ALTER TABLE caller_key RENAME TO given;
            CREATE INDEX given_settled ON given(lane, settled) WHERE settled IS NOT NULL;
            PRAGMA user_version=8;
            """)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    func copy(_ name: String, to copy: String) throws {
        try? FileManager.default.removeItem(atPath: file(copy))
        try FileManager.default.copyItem(atPath: file(name), toPath: file(copy))
    }

    func move(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: file(other))
        try FileManager.default.moveItem(atPath: file(name), toPath: file(other))
    }

    /// Another folder with copies of all files, made by another process: closing a database's file in this one would drop
    /// SQLite's locks.
    func cloned() throws -> TemporaryFolder { try Self.cloned(path) }

    /// Another folder with copies of the files of a folder.
    static func cloned(_ path: String) throws -> TemporaryFolder {
        let clone = TemporaryFolder()
        try Program.run(
            "/bin/sh", ["-c", "cp -r \"$0\" \"$1\" 2>/dev/null; rm -f \"$1\"/*-shm", path, clone.path])
        return clone
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

    func write(_ data: Data, to name: String) throws { try data.write(to: URL(fileURLWithPath: file(name))) }

    /// The names of the files that hold a text; no outbox may be open, since reading a database's file drops its locks.
    func files(holding text: String) throws -> [String] {
        try files.filter { try read($0).range(of: Data(text.utf8)) != nil }
    }

    /// The backup of a value of the sample lane.
    func backup(_ key: StoredKey) -> (files: FileKeyValueStore, key: String) {
        (BackupFiles(state, .sample).files(key.scope), "__GT_925_" + key.name)
    }

    /// The files that hold one of these texts, found by another process, since closing a database's file in this one
    /// would drop SQLite's locks.
    func search(for texts: [String]) throws -> [String] {
        let found = try Program.output(of: "grep", ["-rlaF"] + texts.flatMap { ["-e", $0] } + [path])
        return String(decoding: found.bytes, as: UTF8.self).split(separator: "\n").map {
            String($0.dropFirst(path.count + 1))
        }
    }

    /// The path from here of a backup file.
    func backupName(_ key: StoredKey) -> String {
        let backup = backup(key)
        return backup.files.directory.file(backup.key).replacing(path + "/", with: "")
    }

    /// What the backup of a value says.
    func backedUp(_ key: StoredKey) throws -> String? {
        let backup = backup(key)
        guard case .value(let value) = try backup.files.state(for: backup.key) else { return nil }
        return value.text
    }
}
