import TrackerPlatform

/// A folder of the file system.
struct Directory: Hashable, Sendable {
    /// Where it is, without a slash at the end.
    let path: String

    /// Names a folder.
    init(_ path: String) {
        self.path = path
    }

    /// The folder within this one.
    func folder(_ name: String) -> Directory { Directory(file(name)) }

    /// The path of a file within this folder.
    func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// Makes the folder and those above it, for their owner alone; those that exist stay as they are.
    func make() throws(StorageError) {
        if isFolder { return }
        if let parent { try parent.make() }
        if unsafe mkdir(path, 0o700) == 0 {
            // A umask can have taken rights away.
            unsafe chmod(path, 0o700)
            // Without this, a loss of power can remove the folder with everything in it. Some file systems refuse it.
            try? parent?.synchronize()
            return
        }
        let error = errno
        // Another process can have made it meanwhile.
        guard isFolder else { throw StorageError(errno: error, "make", path) }
    }

    /// Whether there is such a folder.
    var isFolder: Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether its files can be found by this process.
    var isReadable: Bool { unsafe access(path, R_OK | X_OK) == 0 }

    /// The names in the folder, in no order; none if it cannot be read.
    var names: [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Waits until the folder's list of names is on the medium.
    func synchronize() throws(StorageError) {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Removes a file of the folder; one that is not there is no error.
    func remove(_ name: String) throws(StorageError) {
        guard unsafe unlink(file(name)) == 0 || errno == ENOENT else {
            throw StorageError(errno: errno, "remove", file(name))
        }
    }

    /// Gives a file of the folder another name, in place of any that has it.
    func rename(_ name: String, to newName: String) throws(StorageError) {
        guard systemRename(file(name), file(newName)) == 0 else {
            throw StorageError(errno: errno, "rename", file(name))
        }
    }

    private var parent: Directory? {
        guard let slash = path.dropLast().lastIndex(of: "/") else { return nil }
        let name = path[..<slash]
        return name.isEmpty ? nil : Directory(String(name))
    }
}

/// `rename(2)`, whose name the method above takes.
private func systemRename(_ old: String, _ new: String) -> Int32 {
    unsafe rename(old, new)
}
