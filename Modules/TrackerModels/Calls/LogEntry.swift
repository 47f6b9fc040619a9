/// One message of a client's log.
public struct LogEntry: Sendable {
    /// How important it is.
    public let level: LogLevel
    /// The client that speaks, such as `MobileTracker`.
    public let client: String
    package let content: Content

    package init(_ level: LogLevel, of client: String, _ content: Content) {
        self.level = level
        self.client = client
        self.content = content
    }

    /// What an entry is about. Whoever shows it makes the sentence.
    package enum Content: Sendable {
        /// A sentence.
        case text(String)
        /// A sentence about calls that were dropped for one reason.
        case drops(RefusalReason, String)
        case refused(call: String, Refusal)
        case failed(TrackerError)
    }

    /// A sentence for a developer.
    public var message: String { message(initializer: "initialize()", naming: \.option) }

    /// Why calls were dropped, if it is about that. Their outcomes say so as well.
    public var refusal: RefusalReason? {
        switch content {
        case .drops(let reason, _): reason
        case .refused(_, let refusal): refusal.reason
        case .text, .failed: nil
        }
    }

    /// The sentence with the names that things have where it is read.
    ///
    /// - Parameters:
    ///   - initializer: The call that initialises the client.
    ///   - name: What an option is called.
    package func message(initializer: String, naming name: (OptionFault) -> String) -> String {
        switch content {
        case .text(let text), .drops(_, let text): text
        case .refused(let call, let refusal): refusal.message(of: call, initializer: initializer)
        case .failed(let error): "Initialization failed: \(error.message(naming: name))"
        }
    }
}
