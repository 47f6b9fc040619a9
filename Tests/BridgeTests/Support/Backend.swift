import Synchronization
import TestSupport
import TrackerModels

/// A backend that makes sessions and takes everything else, unless a test says otherwise.
final class Backend: Sendable {
    /// What to answer instead; `nil`: as usual.
    typealias Script = @Sendable (LoopbackRequest) -> LoopbackAnswer?

    let server: LoopbackServer

    /// - Parameter script: What to answer instead.
    init(_ script: @escaping Script = { _ in nil }) throws {
        let sessions = Mutex(0)
        server = try LoopbackServer(answer: { request in
            if let answer = script(request) { return answer }
            guard request.method == "POST", request.path == "/v2/tracking-session" else { return .status(200) }
            let number = sessions.withLock { count in
                count += 1
                return count
            }
            return .status(200, body: #"{"data":{"id":"session-\#(number)"}}"#)
        })
    }

    /// The names of the events that came, in their order, repeats included.
    var eventNames: [String] { events.map { $0.json["event_name"]?.stringValue ?? "" } }

    /// The names of the events that came, each where it came first: a slow machine may let a request time out.
    var distinctEventNames: [String] {
        var seen: Set<String> = []
        return events.filter { seen.insert($0.header("Idempotency-Key") ?? "").inserted }
            .map { $0.json["event_name"]?.stringValue ?? "" }
    }

    private var events: [LoopbackRequest] { server.requests.filter { $0.path == "/v2/tracking-session-data" } }

    /// A configuration that leads here, with state in a folder.
    func config(_ folder: TemporaryDirectory, _ more: JSONObject = [:]) -> JSONValue {
        var config: JSONObject = [
            "apiUrl": .string(server.url), "xApiKey": "key-12345678", "storageDirectory": .string(folder.path("state")),
            "retryDelayMs": 10, "cooldownMs": 20, "maxCooldownMs": 40,
        ]
        config.merge(more)
        return .object(config)
    }
}

extension LoopbackRequest {
    /// The body as a tree; `null` if it is no JSON.
    var json: JSONValue { (try? JSONText(validating: text)).map { JSONValue($0) } ?? .null }
}
