import TrackerModels
import TrackerPlatform

/// The folder that holds everything of a client that survives a restart, and the names of the files in it.
package struct StateFolder: Hashable, Sendable {
    package var path: String { directory.path }

    let directory: Directory

    /// Names a folder. It makes nothing on disk.
    package init(path: String) {
        directory = Directory(path)
    }

    /// The folder that a program uses when none is given: `$XDG_STATE_HOME/mobile-tracker/<program>`, else
    /// `~/.local/state/mobile-tracker/<program>`; on Apple platforms
    /// `~/Library/Application Support/mobile-tracker/<program>`.
    ///
    /// Processes of one user share a session, and the queue, if their programs have the same name.
    ///
    /// - Parameters:
    ///   - program: The program's name; by default the executable's. Characters that could leave the folder or hide in it are
    ///     percent-encoded. An empty name is `default`.
    ///   - environment: Gives the value of an environment variable. A relative `XDG_STATE_HOME` is ignored, as the XDG
    ///     Base Directory Specification demands.
    /// - Returns: `nil` if there is no home folder.
    package static func standard(
        program: String = StateFolder.executableName,
        environment: (String) -> String? = StateFolder.environmentVariable
    ) -> StateFolder? {
        let name = "mobile-tracker/" + folderName(of: program)
        #if canImport(Darwin)
            return home(environment).map { StateFolder(path: $0 + "/Library/Application Support/" + name) }
        #else
            if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
                return StateFolder(path: Directory(state).file(name))
            }
            return home(environment).map { StateFolder(path: Directory($0).file(".local/state/" + name)) }
        #endif
    }

    /// The name of this process's executable, without its folder.
    package static var executableName: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    }

    /// A program's name as the name of one folder, of at most 200 bytes.
    private static func folderName(of program: String) -> String {
        var name = ""
        for byte in program.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-_@+".contains(character))
            if isPlain || (character == "." && !name.isEmpty) {
                name.append(character)
            } else {
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        guard name.utf8.count > 200 else { return name.isEmpty ? "default" : name }
        return name.prefix(180) + "-" + FNV1a.text(program.utf8)
    }

    package static func environmentVariable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The same text for every path that leads to the folder.
    var resolvedPath: String { Self.resolve(path) }

    private static func resolve(_ path: String) -> String {
        if let resolved = unsafe realpath(path, nil) {
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        // What does not exist yet is below what does.
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return path }
        return resolve(String(path[..<slash])) + path[slash...]
    }

    /// Makes what is missing of the folder and of those within it.
    func make() throws(StorageError) {
        guard !path.isEmpty else {
            throw StorageError(
                .folder, "There is no home folder to keep events in: name a folder with 'storageDirectory'")
        }
        do {
            try directory.make()
        } catch {
            throw StorageError(.folder, error.message)
        }
        guard directory.isReadable else { throw StorageError(.folder, "The folder \(path) cannot be read") }
    }

    static let databaseName = "tracker.sqlite3"

    var database: String { directory.file(Self.databaseName) }

    var log: String { database + "-wal" }

    /// The lock that writers of the database queue on.
    var writerLock: String { directory.file("writer.lock") }

    /// The lock that writers of backups queue on.
    var backupLock: String { directory.file("backup.lock") }

    /// The lock of the process that delivers a lane and makes its session.
    func deliveryLock(of lane: LaneIdentity) -> String { directory.file("\(lane.fileName).delivery.lock") }

    /// The lock that all processes share that have a lane open.
    func openLock(of lane: LaneIdentity) -> String { directory.file("\(lane.fileName).open.lock") }

    /// Where the backups of all tenants are.
    var backups: Directory { directory.folder("backup") }

    /// Where the backups of a lane's tenant and of its lanes are, in folders of their own.
    func tenantBackups(of lane: LaneIdentity) -> Directory { backups.folder(lane.tenantFileName) }

    /// Where the backups of a lane's tenant are.
    func tenantBackup(of lane: LaneIdentity) -> Directory { tenantBackups(of: lane).folder("brand") }

    /// Where the backups of a lane are.
    func laneBackup(of lane: LaneIdentity) -> Directory { tenantBackups(of: lane).folder(lane.fileName) }

    private static func home(_ environment: (String) -> String?) -> String? {
        if let home = environment("HOME"), home.hasPrefix("/") { return home }
        guard let entry = unsafe getpwuid(getuid()), let name = unsafe entry.pointee.pw_dir else { return nil }
        let home = unsafe String(cString: name)
        return home.hasPrefix("/") ? home : nil
    }
}

extension LaneIdentity {
    /// A name for files of this lane, the same in every process.
    var fileName: String { "\(kind.rawValue)-\(Self.digest([kind.rawValue, owner, origin]))" }

    /// A name for files of this lane's tenant.
    var tenantFileName: String { "\(kind.rawValue)-\(Self.digest([kind.rawValue, owner]))" }

    /// A hash of the parts, each ended by a byte that UTF-8 never has.
    private static func digest(_ parts: [String]) -> String {
        FNV1a.text(parts.flatMap { Array($0.utf8) + [0xFF] })
    }
}
