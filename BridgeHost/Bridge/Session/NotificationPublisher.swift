import JSONRPC
import Synchronization
import TrackerCore
import TrackerModels

/// Sends a client the notifications that it subscribed to.
final class NotificationPublisher: Sendable {
    enum Topic: String, CaseIterable, Sendable {
        case log
        case diagnostic
        case session
        /// What the server has taken: diagnostics of this kind, which are many.
        case delivered
        /// What the program is asked for: the host has no function that gives credentials.
        case credentials

        /// The topic of a name: that of the notifications, or `diagnostics`.
        init?(name: String) {
            self.init(rawValue: name == "diagnostics" ? "diagnostic" : name)
        }
    }

    private let notify: @Sendable (JSONRPC.Notification) -> Void
    private let topics = Mutex<Set<Topic>>([])

    init(_ notify: @escaping @Sendable (JSONRPC.Notification) -> Void) {
        self.notify = notify
    }

    /// From now on sends notifications of these topics too.
    func subscribe(to more: [Topic]) {
        topics.withLock { $0.formUnion(more) }
    }

    func report(_ entry: HostLogEntry) {
        if isWanted(.log) { notify(JSONRPC.Notification("log", entry.params)) }
    }

    func report(_ diagnostic: Diagnostic, from subject: ClientName) {
        let (topic, method) =
            switch diagnostic {
            case .session: (Topic.session, "session")
            case .delivered: (Topic.delivered, "diagnostic")
            default: (Topic.diagnostic, "diagnostic")
            }
        guard isWanted(topic) else { return }
        for params in diagnostic.params(from: subject) { notify(JSONRPC.Notification(method, params)) }
    }

    /// Asks for the credentials of a client.
    ///
    /// - Parameter refusal: Why the server refuses those that it has, if it does.
    func askForCredentials(of subject: ClientName, after refusal: String?) {
        var params = JSONObjectWriter()
        params.append("client", subject.rawValue)
        if let refusal { params.append("message", refusal) }
        notify(JSONRPC.Notification("credentials", params.finish()))
    }

    private func isWanted(_ topic: Topic) -> Bool { topics.withLock { $0.contains(topic) } }
}

extension Diagnostic {
    /// The params of the notifications for it: one a record, if it names records.
    fileprivate func params(from subject: ClientName) -> [JSONText] {
        func params(_ kind: String, _ fill: (inout JSONObjectWriter) -> Void) -> JSONText {
            var params = JSONObjectWriter()
            params.append("client", subject.rawValue)
            params.append("kind", kind)
            fill(&params)
            return params.finish()
        }

        switch self {
        case .dropped(let ids, let count, let reason):
            let named = ids.map { id in
                params("dropped") {
                    $0.append(reason)
                    $0.append("messageId", id.text)
                }
            }
            guard count > ids.count else { return named }
            let others = params("dropped") {
                $0.append(reason)
                $0.append("count", Int64(count - ids.count))
            }
            return named + [others]
        case .delivered(let ids):
            return ids.map { id in params("delivered") { $0.append("messageId", id.text) } }
        case .refused(let call, let reason):
            return [
                params("refused") {
                    $0.append("reason", reason.rawValue)
                    $0.append("call", call)
                }
            ]
        case .retried(let status, let message):
            return [
                params("retried") {
                    if let status { $0.append("status", Int64(status)) }
                    $0.append("message", message)
                }
            ]
        case .breaker(let state): return [params("breaker") { $0.append("reason", state.rawValue) }]
        case .storage(let message): return [params("storage") { $0.append("message", message) }]
        case .lane(let message): return [params("lane") { $0.append("message", message) }]
        case .missed(let count): return [params("missed") { $0.append("count", Int64(count)) }]
        case .session(let session): return [.object("sessionId", session?.text)]
        }
    }
}

extension JSONObjectWriter {
    /// Appends why a record was dropped, and with which status.
    fileprivate mutating func append(_ reason: DropReason) {
        guard case .rejected(let status) = reason else { return append("reason", reason.description) }
        append("reason", "rejected")
        append("status", Int64(status))
    }
}
