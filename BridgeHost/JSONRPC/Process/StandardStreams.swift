import TrackerPlatform

/// The streams a process was started with, moved to other numbers.
///
/// A stray print in a library would end up between messages. So the real standard output gets another number, and printed
/// text goes to standard error. The real standard input gets another number as well, and reading the standard one gives
/// nothing. Child processes inherit neither.
package struct StandardStreams: Sendable {
    /// Moved descriptors get numbers from here on, so that none becomes a standard one.
    private static let firstFree: Int32 = 10

    /// What the client writes to; -1 if the process was started without it.
    package let input: Int32
    /// What the client reads from; -1 if the process was started without it.
    package let output: Int32

    /// Moves the streams.
    ///
    /// Call it once, before anything is printed or opened. It also makes sure that the three standard descriptors are
    /// open: otherwise a file could get one of their numbers, and prints would go into it.
    package init() {
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

    /// Makes sure that the three standard descriptors are open: otherwise a file could get one of their numbers, and what is
    /// printed would go into it. Call it before anything is opened.
    package static func openMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free is this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Another number for an open file; -1 if it is not open.
    private static func moved(_ descriptor: Int32) -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, firstFree)
        // The process may have so few descriptors that there is no such number.
        return moved >= 0 ? moved : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    /// A file that is always empty and swallows everything.
    private static func openNothing() -> Int32 {
        let nothing = unsafe open("/dev/null", O_RDWR)
        let moved = moved(nothing)
        close(nothing)
        return moved
    }
}
