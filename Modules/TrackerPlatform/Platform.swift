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

/// Closes a file descriptor: the system's `close`, where a type has a `close` of its own.
@discardableResult
package func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
