/// Makes a script that fails a short one.
enum Shrinking {
    /// Leaves out of a script what is not needed for it to fail, first in large pieces, then in small ones.
    ///
    /// - Parameter run: Plays a script, and gives what went wrong.
    static func shrunk<Move>(
        _ script: [Move], _ faults: [String], run: ([Move]) async throws -> [String]
    ) async rethrows -> ([Move], [String]) {
        var (script, faults) = (script, faults)
        var size = script.count / 2
        while size > 0 {
            var start = 0
            while start < script.count {
                var shorter = script
                shorter.removeSubrange(start..<min(start + size, script.count))
                let found = try await run(shorter)
                if found.isEmpty {
                    start += size
                } else {
                    (script, faults) = (shorter, found)
                }
            }
            size /= 2
        }
        return (script, faults)
    }
}
