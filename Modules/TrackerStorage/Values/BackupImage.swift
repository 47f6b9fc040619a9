import TrackerModels

/// What the backup files of a tenant and its lanes should hold, by the database.
struct BackupImage: Sendable {
    /// The files of the tenant, or of one lane.
    struct Scope: Sendable {
        var files: FileKeyValueStore
        /// The span of life that values must belong to.
        var generation: Int64
        /// The fact that counts the spans.
        var age: BackupFiles.Fact
        /// What is known of the scope itself.
        var facts: [BackupFiles.Fact: String]
        /// Its values, and what was removed, under their full names.
        var values: [String: StoredState]
    }

    /// The tenant and its lanes.
    var scopes: [Scope]
    /// Where the folders of the tenant's lanes are.
    var folder: Directory
    /// Nothing may be left of the tenant but what the database knows.
    var isErased: Bool
    /// The persons to forget, if there are or were any.
    var forgotten: ForgottenList?

    /// Writes the files as the database has the values.
    ///
    /// A file whose value the database does not have is removed if it is from before a reset. Otherwise it stays: the
    /// database may have lost the value.
    func write(in state: StateFolder) throws(StorageError) {
        if let forgotten { try state.keep(forgotten) }
        for scope in scopes { try scope.write() }
        guard isErased else { return }
        let known = Set(scopes.map(\.files.directory))
        for lane in try folder.folders() where !known.contains(lane) {
            try FileKeyValueStore(directory: lane).removeValues { _ in true }
        }
    }
}

extension BackupImage.Scope {
    fileprivate func write() throws(StorageError) {
        // A database that is older than its backups catches up when the lane is opened; until then they stay.
        if let age = try files.number(age), age > generation { return }
        // The age comes last: it says that the others are as new.
        for (fact, text) in facts where fact != age { try files.save(text, fact) }
        if let text = facts[age] { try files.save(text, age) }
        for (key, state) in values {
            switch state {
            case .value(let value):
                if !files.isSaved(value, for: key) { try files.save(value, for: key) }
            case .removed, .absent:
                try files.remove(key)
            }
        }
        try files.removeValues { (key) throws(StorageError) in
            guard values[key] == nil else { return false }
            guard case .value(let value) = try files.state(for: key) else { return true }
            return value.generation != generation
        }
    }
}

extension FileKeyValueStore {
    /// Removes the files of values, and what a crash has left of such, but not those of facts.
    func removeValues(
        where isUnwanted: (String) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for key in try keys() where BackupFiles.Fact(rawValue: key) == nil {
            if try isUnwanted(key) { try remove(key) }
        }
        try removeLeftovers { BackupFiles.Fact(rawValue: $0) == nil }
    }
}

extension OutboxDatabase {
    /// Reads what the backups of a lane's tenant are to hold.
    func backupImage(of key: RowKey, _ identity: LaneIdentity, in folder: StateFolder) throws(StorageError)
        -> BackupImage?
    {
        var lanes = [(identity: identity, key: key)]
        for other in try self.lanes(besides: key) where other.key.tenant == key.tenant {
            lanes.append((other.identity, other.key))
        }
        let forgotten = try forgottenList()
        var image = BackupImage(scopes: [], folder: folder.tenantBackups(of: identity), isErased: false)
        if forgotten.changes > 0 { image.forgotten = forgotten }
        for lane in lanes {
            guard let row = try self.lane(lane.key, prefix: "") else { continue }
            let backup = BackupFiles(folder, lane.identity)
            if image.scopes.isEmpty {
                image.isErased = row.consent == .denied
                image.scopes.append(try tenantScope(row, lane.identity, backup))
            }
            image.scopes.append(try laneScope(row, lane.identity, backup))
        }
        return image.scopes.isEmpty ? nil : image
    }

    private func tenantScope(
        _ row: LaneRow, _ identity: LaneIdentity, _ backup: BackupFiles
    ) throws(StorageError) -> BackupImage.Scope {
        var facts: [BackupFiles.Fact: String] = [
            .identity: identity.tenantText, .tenantGeneration: String(row.tenantGeneration),
        ]
        facts[.consent] = row.consent?.rawValue
        let values = try SQLiteKeyValueStore(self, row, .tenant).states()
        return BackupImage.Scope(
            files: backup.tenant, generation: row.tenantGeneration, age: .tenantGeneration, facts: facts, values: values
        )
    }

    private func laneScope(
        _ row: LaneRow, _ identity: LaneIdentity, _ backup: BackupFiles
    ) throws(StorageError) -> BackupImage.Scope {
        let generation = row.generation.number
        var facts: [BackupFiles.Fact: String] = [
            .identity: identity.text, .generation: String(generation), .number: String(row.key.lane),
        ]
        // Most lanes never need the file.
        let isKept = try backup.lane.contains(BackupFiles.Fact.erased.rawValue)
        if row.erased > 0 || isKept { facts[.erased] = String(row.erased) }
        let values = try SQLiteKeyValueStore(self, row, .lane).states()
        return BackupImage.Scope(
            files: backup.lane, generation: generation, age: .generation, facts: facts, values: values)
    }
}

extension LaneIdentity {
    /// The identity as a backup keeps it.
    fileprivate var text: String {
        var writer = JSONObjectWriter()
        writer.append("kind", kind.rawValue)
        writer.append("owner", owner)
        writer.append("origin", origin)
        return writer.finish().text
    }

    /// The identity of the tenant alone.
    fileprivate var tenantText: String {
        var writer = JSONObjectWriter()
        writer.append("kind", kind.rawValue)
        writer.append("owner", owner)
        return writer.finish().text
    }

    /// Reads an identity that a backup has kept.
    init?(backup text: String) {
        // A damaged file holds no identity.
        guard let object = try? JSONText(validating: text),
            let kind = object["kind"]?.stringValue.flatMap(LaneIdentity.Kind.init),
            let owner = object["owner"]?.stringValue, let origin = object["origin"]?.stringValue
        else { return nil }
        self.init(kind: kind, owner: owner, origin: origin)
    }
}
