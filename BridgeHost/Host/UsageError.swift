/// A command line that cannot be understood.
struct UsageError: Error, Hashable, Sendable {
    /// The exit code of a command that was used wrongly (sysexits.h, EX_USAGE).
    static let exitCode: Int32 = 64

    /// What is wrong, as a part of a sentence.
    var message: String
}
