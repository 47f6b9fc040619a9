import Synchronization
import TrackerModels

/// The calls of a test so far, of all clients, in the order in which they were made.
final class CallLog: Sendable {
    /// Clients know nothing of each other's message ids.
    private struct EventKey: Hashable {
        let client: RecordedCall.Client
        let id: MessageID
    }

    private struct Content {
        var calls: [RecordedCall] = []
        /// How many calls were forgotten: the places go on.
        var forgotten = 0
        /// Events whose calls are not answered yet.
        var queued: [EventKey: JSONText] = [:]
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

    /// An event of a client has been queued; its caller is answered next.
    func queued(_ event: JSONText, as id: MessageID, of client: RecordedCall.Client) {
        content.withLock { $0.queued[EventKey(client: client, id: id)] = event }
    }

    func settle(_ place: Int, _ call: OutgoingCall, of client: RecordedCall.Client, _ outcome: TrackOutcome) {
        content.withLock { content in
            let key = outcome.messageID.map { EventKey(client: client, id: $0) }
            let event = key.flatMap { content.queued.removeValue(forKey: $0) }
            let index = place - content.forgotten
            guard content.calls.indices.contains(index) else { return }
            content.calls[index].settle(call, outcome, event: event)
        }
    }
}
