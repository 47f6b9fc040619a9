#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension StorageError {
    /// What a failed call of the operating system means.
    ///
    /// - Parameters:
    ///   - error: The value of `errno`.
    ///   - action: What was tried, such as "open".
    ///   - path: On what.
    init(errno error: Int32, _ action: String, _ path: String) {
        self.init(
            Self.kind(ofSystemError: error) ?? .failed,
            "Cannot \(action) \(path): \(Self.sentence(ofSystemError: error))"
        )
    }

    /// The kind that an `errno` stands for, if it is one that is told apart.
    static func kind(ofSystemError error: Int32) -> Kind? {
        switch error {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: nil
        }
    }

    private static func sentence(ofSystemError error: Int32) -> String {
        guard let text = unsafe strerror(error) else { return "error \(error)" }
        return unsafe String(cString: text)
    }
}
