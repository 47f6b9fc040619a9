import Synchronization
import TrackerCore
import TrackerModels
import TrackerStorage

/// The calls of a test so far, of all clients, in the order in which they were made.
final class CallLog: Sendable {
    private struct Content {
        var calls: [RecordedCall] = []
        /// How many calls were forgotten: the places go on.
        var forgotten = 0
        /// Events whose calls are not answered yet.
        var queued: [MessageID: JSONText] = [:]
        var refusal: RefusalReason?
    }

    private let content = Mutex(Content())

    var calls: [RecordedCall] { content.withLock { $0.calls } }

    /// Why calls are refused from now on; `nil`: they are not.
    var refusal: RefusalReason? {
        get { content.withLock { $0.refusal } }
        set { content.withLock { $0.refusal = newValue } }
    }

    /// Forgets the calls, and refuses none from now on.
    func clear() {
        content.withLock { content in
            content.forgotten += content.calls.count
            content.calls = []
            content.refusal = nil
        }
    }

    func begin(_ call: RecordedCall) -> Int {
        content.withLock { content in
            content.calls.append(call)
            return content.forgotten + content.calls.count - 1
        }
    }

    /// An event has been queued; its caller is answered next.
    func queued(_ event: JSONText, as id: MessageID) { content.withLock { $0.queued[id] = event } }

    func settle(_ place: Int, _ call: OutgoingCall, _ outcome: TrackOutcome) {
        content.withLock { content in
            let event = outcome.messageID.flatMap { content.queued.removeValue(forKey: $0) }
            let index = place - content.forgotten
            guard content.calls.indices.contains(index) else { return }
            content.calls[index].settle(call, outcome, event: event)
        }
    }
}

/// Records the calls of one client.
final class ClientRecorder: CallRecorder {
    private let client: RecordedCall.Client
    private let log: CallLog
    private let hasBegun = Atomic(false)
    /// Initialises the client, once it is made.
    private let initialize = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ client: RecordedCall.Client, in log: CallLog) {
        self.client = client
        self.log = log
    }

    /// Says how the client is initialised if its program does not do so.
    func initialize(by body: @escaping @Sendable () -> Void) { initialize.withLock { $0 = body } }

    func prepare() {
        guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        initialize.withLock { $0 }?()
    }

    func markInitialized() { hasBegun.store(true, ordering: .releasing) }

    var refusal: RefusalReason? { log.refusal }

    func begin(_ call: OutgoingCall) -> Int { log.begin(RecordedCall(call, of: client)) }

    func settle(_ place: Int, _ call: OutgoingCall, _ answer: CallAnswer) { log.settle(place, call, answer.outcome) }
}
