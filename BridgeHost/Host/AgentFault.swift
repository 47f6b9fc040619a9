import JSONRPC
import TrackerPlatform

/// Why an agent cannot start.
struct AgentFault: Error, Hashable, Sendable {
    /// What is wrong and what to do, as a part of a sentence.
    let message: String
    /// Whether another start may succeed although nobody mends anything: the system lacks something now.
    let isPassing: Bool

    init(_ message: String, isPassing: Bool = false) {
        self.message = message
        self.isPassing = isPassing
    }

    /// - Parameters:
    ///   - start: The sentence up to the system's reason.
    ///   - remedy: What to do, as a sentence of its own.
    init(_ start: String, _ error: SystemError, remedy: String? = nil) {
        self.init(
            "\(start): \(error.message)\(remedy.map { ". \($0)" } ?? "")",
            isPassing: [ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, ENOBUFS, EIO].contains(error.number))
    }

    static func isServed(_ path: String, by process: Int32?) -> AgentFault {
        let subject = process.map { "process \($0)" } ?? "another process"
        return AgentFault("\(path) is served by \(subject): stop it first, or use another path")
    }
}
