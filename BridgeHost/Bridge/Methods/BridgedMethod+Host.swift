import JSONRPC
import TrackerCore
import TrackerModels

extension BridgedMethod {
    /// The version of what the host and its clients agree on; it changes when an old client could not go on.
    static let protocolVersion = 1

    /// What a program may ask of the host; the other methods are for the clients in other languages.
    package static let hostState: [BridgedMethod] = [
        BridgedMethod(
            "host.metrics", [], result: "Metrics",
            "Metrics of all clients, as text for Prometheus. They count all earlier calls, and maybe some later ones."
        ) { host, _, reply in
            let answer = host.answering(reply) { (text: String) in JSONText.object("text", text) }
            host.afterEarlierCalls(to: host.clients.map(\.client), changedBy: .state) {
                host.metrics.readAside(answer)
            }
        }
        .whenOff(.object(##"{"text": "# EOF\n"}"##))
    ]

    static let host: [BridgedMethod] = [
        BridgedMethod("host.info", [], result: "HostInfo", "What the host is, and what it can do.") { host, _, reply in
            reply.succeed(with: info(of: host))
        },
        BridgedMethod(
            "host.subscribe", [.required("topics", .array, "The topics to send from now on.", schema: "Topics")],
            takesAnyParams: true,
            "Asks for notifications: `log`, `diagnostic`, `session`, `delivered` and `credentials`. The topics are the params themselves.",
            example: #"[["log", "session"]]"#
        ) { host, arguments, reply in
            let topics = try topics(arguments)
            host.publisher.subscribe(to: topics)
            if topics.contains(.delivered) { host.observeDeliveries() }
            if topics.contains(.credentials) { host.askForCredentials() }
            reply.succeed(with: .done)
        },
        BridgedMethod(
            "host.shutdown", [], effect: .end, "Answers what was read, sends what can be sent, and ends the host."
        ) { host, _, reply in
            host.end(answering: reply)
        },
        BridgedMethod("rpc.discover", [], result: "OpenRPCDocument", "Describes all this, as an OpenRPC document.") {
            _, _, reply in
            reply.succeed(with: OpenRPCDocument.text)
        },
    ]

    private static func info(of host: HostSession) -> JSONText {
        JSONText(tree: [
            "name": "BridgeHost",
            "version": .string(ProductVersion.current),
            "protocolVersion": JSONValue(protocolVersion),
            "maxMessageBytes": JSONValue(host.settings.maxMessageBytes),
            "methods": .array(all.map { .string($0.method.name) }),
        ])
    }

    /// The topics, given one by one, or as a list by position or by name.
    private static func topics(_ arguments: Arguments) throws(RPCError) -> [NotificationPublisher.Topic] {
        let list = arguments.value(0)?.kind == .array ? arguments.value(0) : arguments.text
        guard let list, list.kind == .array else { throw arguments.fault(0, .wrongKind(.array)) }
        var topics: [NotificationPublisher.Topic] = []
        for element in list.elements {
            guard let topic = element.stringValue.flatMap(NotificationPublisher.Topic.init(name:)) else {
                let known = NotificationPublisher.Topic.allCases.map(\.rawValue)
                throw arguments.fault(0, at: "topics[\(topics.count)]", .otherWord(of: known, element))
            }
            topics.append(topic)
        }
        return topics
    }
}
