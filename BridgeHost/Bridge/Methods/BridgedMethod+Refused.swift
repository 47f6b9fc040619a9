import JSONRPC
import Synchronization
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// What the server has refused: it is kept apart from the queues.
    package static let refused: [BridgedMethod] = [
        refused(
            "refused.list", result: "RefusedEvents",
            "The events that the server has refused for good and that are kept apart, of each client the oldest first."
        ) { client, filter, completion in
            completion(Result { () throws(TrackerError) in try client.control.refused(matching: filter) })
        } answer: { found in
            JSONText(tree: [
                "events": .array(
                    found.flatMap { client, events in events.map { .object($0.json(of: client)) } })
            ])
        }
        .whenOff(.object(#"{"events": []}"#)),
        refused(
            "refused.retry", result: "RequeuedEvents",
            "Queues refused events again, at the end of the queue, each under its message id and for its own session."
        ) { client, filter, completion in
            client.control.change(refused: filter, .retry, completion: completion)
        } answer: {
            JSONText(tree: ["requeued": JSONValue($0.reduce(0) { $0 + $1.1 })])
        }
        .whenOff(.object(#"{"requeued": 0}"#)),
        refused("refused.drop", result: "DroppedEvents", "Removes refused events for good.") {
            client, filter, completion in
            client.control.change(refused: filter, .drop, completion: completion)
        } answer: {
            JSONText(tree: ["dropped": JSONValue($0.reduce(0) { $0 + $1.1 })])
        }
        .whenOff(.object(#"{"dropped": 0}"#)),
    ]

    /// A method for the refused events of one client or of all. It sees every call that was made before it.
    private static func refused<Value: Sendable>(
        _ name: String, result: String, _ summary: String,
        perform:
            @escaping @Sendable (
                any ControlledClient, RefusedFilter, @escaping @Sendable (Result<Value, TrackerError>) -> Void
            ) -> Void,
        answer: @escaping @Sendable ([(ClientName, Value)]) -> JSONText
    ) -> BridgedMethod {
        BridgedMethod(
            name, [.optional("filter", .object, "Which events; by default all.", schema: "RefusedFilter")],
            result: result, errors: [.storage], summary, example: #"[{"client": "tracker", "statuses": [422]}]"#
        ) { host, arguments, reply in
            let selection = try arguments.reading(0, RefusedFields.selection) ?? RefusedSelection()
            let clients = host.clients.filter { selection.client == nil || selection.client == $0.name }
            let done = host.answeringOrFailing(reply, answer)
            let found = Mutex<[ClientName: Result<Value, TrackerError>]>([:])
            let order = clients.map(\.name)
            host.order.beginQuestion(changedBy: .state)
            for (subject, client) in clients {
                client.control.afterEarlierCalls {
                    perform(client, selection.filter) { result in
                        let all = found.withLock { found in
                            found[subject] = result
                            return found.count == order.count ? found : nil
                        }
                        guard let all else { return }
                        done(Result { () throws(TrackerError) in try values(all, in: order) })
                        host.order.endQuestion(changedBy: .state, on: host)
                    }
                }
            }
        }
    }
}

/// What was found of each client, in their order.
private func values<Value>(
    _ found: [ClientName: Result<Value, TrackerError>], in order: [ClientName]
) throws(TrackerError) -> [(ClientName, Value)] {
    var values: [(ClientName, Value)] = []
    for client in order {
        if let result = found[client] { values.append((client, try result.get())) }
    }
    return values
}
