/// Counts the calls that were dropped because nobody had called `initialize`, so that the log has one line for many.
struct UninitializedCalls: Sendable {
    private var count = 0

    /// Counts a call.
    ///
    /// - Returns: Whether it is the first, which is logged.
    mutating func note() -> Bool {
        count += 1
        return count == 1
    }

    /// Starts over.
    ///
    /// - Returns: A sentence for the log if there were more than the one that was logged.
    mutating func end() -> String? {
        defer { count = 0 }
        return count > 1 ? "\(count) calls were dropped because they came before initialize()." : nil
    }
}
