import TrackerModels

extension LaneTransaction {
    /// Writes an object with the values as `changes` leave them.
    mutating func write(_ template: BodyTemplate, _ changes: [ValueChange]) throws(StorageError) -> JSONText {
        var writer = JSONObjectWriter(reservingCapacity: template.byteCount + 64)
        for member in template.members {
            switch member {
            case .fixed(let object): writer.append(membersOf: object)
            case .value(let name, let key, let otherwise):
                if let text = try text(of: key, changes) {
                    writer.append(name, text)
                } else if let otherwise {
                    writer.append(name, otherwise)
                }
            case .id(let name, let key): writer.append(name, try id(key))
            case .object(let name, let part):
                let object = try write(part, changes)
                if object.hasMembers { writer.append(name, object) }
            }
        }
        return writer.finish()
    }

    /// Makes changes of values.
    mutating func make(_ changes: [ValueChange]) throws(StorageError) {
        for change in changes {
            if let text = change.text { try store(change.key, text, nil) } else { try remove(change.key) }
        }
    }

    /// Stores a value under a key that has none.
    mutating func ensure(_ key: StoredKey, _ text: String) throws(StorageError) {
        if try known(key) == nil { try store(key, text, nil) }
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

extension JSONText {
    /// Whether this is an object with at least one member.
    var hasMembers: Bool {
        kind == .object && bytes.dropFirst().dropLast().contains { $0 > 0x20 }
    }
}
