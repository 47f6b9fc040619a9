/// The C library of the system: one import for all platforms.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#else
    @_exported public import Darwin
#endif

/// Has the process open as many files as the system lets it, up to 65,536. By default it is 1,024, for old programs' sake.
package func raiseDescriptorLimit() {
    #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    _ = unsafe setrlimit(files, &limit)
}

/// Closes a file descriptor: the system's `close`, where a type has a `close` of its own.
@discardableResult
package func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
