#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The streams a process was started with, moved to other numbers.
///
/// A stray print in a library would end up between messages. So the real standard output gets another number, and printed
/// text goes to standard error. The real standard input gets another number as well, and reading the standard one gives
/// nothing. Child processes inherit neither.
public struct StandardStreams: Sendable {
    /// Moved descriptors get numbers from here on, so that none becomes a standard one.
    private static let firstFree: Int32 = 10

    /// What the client writes to; -1 if the process was started without it.
    public let input: Int32
    /// What the client reads from; -1 if the process was started without it.
    public let output: Int32

    /// Moves the streams.
    ///
    /// To be called once, before anything is printed or opened. It also sees to it that the three standard descriptors
    /// are open: a file that got one of their numbers would be printed into.
    public init() {
        self.init(input: STDIN_FILENO, output: STDOUT_FILENO, errors: STDERR_FILENO)
    }

    /// Moves what has these numbers.
    init(input: Int32, output: Int32, errors: Int32) {
        self.input = Self.moved(input)
        self.output = Self.moved(output)
        let nothing = Self.openNothing()
        dup2(nothing, input)
        if fcntl(errors, F_GETFD) == -1 { dup2(nothing, errors) }
        dup2(errors, output)
        close(nothing)
    }

    /// Another number for an open file; -1 if it is not open.
    private static func moved(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, firstFree)
    }

    /// A file that is always empty and swallows everything.
    private static func openNothing() -> Int32 {
        let nothing = unsafe open("/dev/null", O_RDWR)
        let moved = fcntl(nothing, F_DUPFD_CLOEXEC, firstFree)
        close(nothing)
        return moved
    }
}
