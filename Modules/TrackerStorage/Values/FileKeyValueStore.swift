import TrackerModels
import TrackerPlatform

/// Values in one small file each, which is either complete or absent.
///
/// A file is written under another name, synced and renamed; then the folder is synced. Each file has a check sum, and one
/// that fails it counts as absent. Files without any, as version 0.1.0 wrote them, are read, and replaced by the first
/// ``save(_:for:)``.
struct FileKeyValueStore {
    /// A larger file is not one of these.
    private static let limit = 64 << 20
    private static let temporarySuffix = ".tmp"
    /// How often a file is read at once before a read that the disk refuses counts as damage.
    private static let tries = 4

    /// Where the files are; made with the first value.
    let directory: Directory

    /// Lists the keys that have files, readable or not.
    func keys() throws(StorageError) -> [String] {
        try directory.names().compactMap { $0.hasSuffix(Self.temporarySuffix) ? nil : Self.key(ofName: $0) }
    }

    /// - Throws: Why its file, which may be sound, cannot be read now.
    func state(for key: String) throws(StorageError) -> StoredState {
        for _ in 0..<Self.tries {
            do throws(StorageError) {
                let bytes = try FileDescriptor(opening: path(of: key), O_RDONLY).readToEnd(limit: Self.limit)
                return Self.value(from: bytes, key).map { .value($0) } ?? .absent
            } catch {
                if error.isAbsence { break }
                guard error.isDamage else { throw error }
            }
        }
        return .absent
    }

    /// Whether the file of a key is, byte for byte, what saving a value would write.
    func isSaved(_ value: StoredValue, for key: String) -> Bool {
        // A file that cannot be read is written again.
        (try? FileDescriptor(opening: path(of: key), O_RDONLY).readToEnd(limit: Self.limit)) == Self.bytes(value, key)
    }

    /// Whether there is anything under a key, readable or not.
    func contains(_ key: String) throws(StorageError) -> Bool { try FileIdentity(ofPath: path(of: key)) != nil }

    /// Keeps a value, in place of any under the same key.
    func save(_ value: StoredValue, for key: String) throws(StorageError) {
        try directory.make()
        let name = Self.name(of: key)
        let temporary = name + Self.temporarySuffix
        do {
            let file = try FileDescriptor(opening: directory.file(temporary), O_WRONLY | O_CREAT | O_TRUNC)
            try file.write(Self.bytes(value, key))
            try file.synchronize()
            try directory.rename(temporary, to: name)
        } catch {
            // The first failure is reported; the next save removes leftovers.
            try? directory.remove(temporary)
            throw error
        }
        try directory.synchronize()
    }

    /// Removes a value; one that is not there is no error.
    func remove(_ key: String) throws(StorageError) {
        guard try contains(key) else { return }
        try directory.remove(Self.name(of: key))
        try directory.synchronize()
    }

    /// Removes what a crash has left of files that were being written.
    ///
    /// - Parameter isUnwanted: Whether the leftover of a key goes.
    func removeLeftovers(where isUnwanted: (String) -> Bool) throws(StorageError) {
        for name in try directory.names() where name.hasSuffix(Self.temporarySuffix) {
            let key = Self.key(ofName: String(name.dropLast(Self.temporarySuffix.count)))
            if key.map(isUnwanted) ?? true { try directory.remove(name) }
        }
    }

    private func path(of key: String) -> String { directory.file(Self.name(of: key)) }

    /// A file's name: letters, digits, `_` and `-` stay, every other byte becomes `%` and two hexadecimal digits.
    private static func name(of key: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = key.utf8.reduce(into: [UInt8]()) { bytes, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func key(ofName name: String) -> String? {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func bytes(_ value: StoredValue, _ key: String) -> [UInt8] {
        var writer = JSONObjectWriter()
        writer.append("value", value.text)
        writer.append("expires", value.expires.milliseconds)
        writer.append("epoch", value.generation)
        writer.append("check", checkSum(value, key))
        return writer.finish().bytes
    }

    /// A hash of all that a file says, and of the key that it belongs to.
    private static func checkSum(_ value: StoredValue, _ key: String) -> String {
        let parts = [key, value.text, String(value.expires.milliseconds), String(value.generation)]
        // A byte that UTF-8 never has keeps the parts apart.
        return FNV1a.text(parts.flatMap { Array($0.utf8) + [0xFF] })
    }

    private static func value(from bytes: [UInt8], _ key: String) -> StoredValue? {
        // The kind of damage does not matter: the file is written again.
        guard let object = try? JSONText(validating: bytes), let text = object["value"]?.stringValue,
            let expires = object["expires"]?.intValue, let generation = object["epoch"]?.intValue
        else { return nil }
        let value = StoredValue(text: text, expires: Timestamp(milliseconds: expires), generation: generation)
        if let check = object["check"], check.stringValue != checkSum(value, key) { return nil }
        return value
    }
}
