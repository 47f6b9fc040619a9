import Foundation

/// A fresh folder that is removed, with all that is in it, when the last reference to it goes.
public final class TemporaryDirectory: Sendable {
    /// The folder's absolute path, without a slash at the end.
    public let path: String

    /// Makes a folder with a unique name, for its owner alone.
    ///
    /// - Parameter parent: Where; `nil` for the system's place for temporary files.
    public init(in parent: String? = nil) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory.path
        path = parent + "/tracker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // A test may have moved it or taken rights away; what cannot be removed is the system's to clear.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder, which need not exist.
    public func path(_ name: String) -> String { path + "/" + name }
}
