#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

extension TransportConfiguration {
    /// Why ``caBundle`` cannot be used, as the rest of a sentence with its path; `nil` if it can be read, or is `nil`.
    ///
    /// Looks at the file as it is now. Whether it holds certificates shows at the first connection.
    public var caBundleFault: String? {
        guard let caBundle else { return nil }
        let descriptor = unsafe open(caBundle, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return "must be a file that can be read. \(caBundle): \(unsafe String(cString: strerror(errno)))"
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            return "must be a file, and \(caBundle) is a folder"
        }
        return nil
    }
}
