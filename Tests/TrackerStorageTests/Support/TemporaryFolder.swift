import Foundation

/// A fresh folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "tracker-storage-" + UUID().uuidString
    }

    deinit {
        // A database that is closed at this moment takes a file away that was about to be removed; another try helps.
        for _ in 0..<5 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// The folder's files, those of folders within it too, by their path from here.
    var files: [String] {
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else { return [] }
        return names.filter { name in
            var isFolder: ObjCBool = false
            return unsafe FileManager.default.fileExists(atPath: file(name), isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        .sorted()
    }
}
