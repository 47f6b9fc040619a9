import TrackerPlatform

struct Directory: Hashable, Sendable {
    /// Where it is, without a slash at the end.
    let path: String

    init(_ path: String) {
        self.path = path
    }

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

    /// Whether there is such a folder, and can be seen.
    private var isFolder: Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether its files can be found by this process.
    var isReadable: Bool { unsafe access(path, R_OK | X_OK) == 0 }

    /// Lists the names in the folder, in no order; none if there is no such folder.
    ///
    /// - Throws: Why it cannot be listed. What cannot be seen may still be there.
    func names() throws(StorageError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            if StorageError.isAbsence(errno) { return [] }
            throw StorageError(errno: errno, "list", path)
        }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while true {
            // Only this tells the end from a failure.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw StorageError(errno: errno, "list", path) }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Lists the folders within it, in no order. Links to others do not count.
    func folders() throws(StorageError) -> [Directory] {
        var folders: [Directory] = []
        for name in try names() {
            var status = stat()
            if unsafe lstat(file(name), &status) == 0 {
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(folder(name)) }
            } else if !StorageError.isAbsence(errno) {
                throw StorageError(errno: errno, "look at", file(name))
            }
        }
        return folders
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
