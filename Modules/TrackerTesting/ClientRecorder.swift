import Synchronization
import TrackerCore
import TrackerModels

/// Records the calls of one client.
final class ClientRecorder: CallRecorder {
    private let client: RecordedCall.Client
    private let log: CallLog
    /// Who has initialised the client.
    private enum Initializer {
        case nobody, call, program
    }

    private struct Content {
        var initializer = Initializer.nobody
        /// Whether a call is about to.
        var isInitializing = false
        /// Initialises the client, once it is made.
        var initialize: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    init(_ client: RecordedCall.Client, in log: CallLog) {
        self.client = client
        self.log = log
    }

    /// Says how the client is initialised if its program does not do so.
    func initialize(by body: @escaping @Sendable () -> Void) { content.withLock { $0.initialize = body } }

    func prepare() {
        let initialize = content.withLock { content -> (@Sendable () -> Void)? in
            guard content.initializer == .nobody else { return nil }
            content.initializer = .call
            content.isInitializing = true
            return content.initialize
        }
        guard let initialize else { return }
        initialize()
        content.withLock { $0.isInitializing = false }
    }

    func takeInitialization() -> Bool {
        content.withLock { content in
            guard !content.isInitializing else { return false }
            defer { content.initializer = .program }
            return content.initializer == .call
        }
    }

    var refusal: RefusalReason? { log.refusal }

    /// An event has been queued; its caller is answered next.
    func queued(_ event: JSONText, as id: MessageID) { log.queued(event, as: id, of: client) }

    func begin(_ call: OutgoingCall) -> Int { log.begin(RecordedCall(call, of: client)) }

    func settle(_ place: Int, _ call: OutgoingCall, _ answer: CallAnswer) {
        log.settle(place, call, of: client, answer.outcome)
    }
}
