import Synchronization
import TestSupport
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// A server of any client that answers by a seed and a mood, and refuses some events by their names.
///
/// It keeps to its word: a request that it has taken it takes again under the same key, if the answer was lost.
final class AnsweringServer: Sendable {
    /// What it answers to most requests.
    enum Mood: CaseIterable {
        case well, mixed, failing, busy, unauthorized, missing, lossy
    }

    fileprivate struct State {
        var random: SeededGenerator
        var mood = Mood.mixed
        var isHealed = false
        var sessions = 0
        var taken: Set<String> = []
    }

    /// What the names of events begin with: those without fault, refused ones, large ones and those it fails at.
    static let kinds = ["E", "E", "E", "E", "E", "E", "BAD", "BIG", "POISON"]

    private let fates: Fates
    private let state: Mutex<State>

    init(seed: UInt64, _ fates: Fates) {
        self.fates = fates
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func change(to mood: Mood) { state.withLock { $0.mood = mood } }

    /// Takes everything from now on.
    func heal() {
        state.withLock { ($0.mood, $0.isHealed) = (.well, true) }
    }

    /// What becomes of a request.
    func answer(_ request: HTTPRequest) -> Result<HTTPResponse, TransportError>? {
        let key = request.headers["Idempotency-Key"] ?? ""
        let events = Self.events(in: request, key)
        let isCreation = request.url.hasSuffix("/v2/tracking-session")
        return state.withLock { state in
            if state.taken.contains(key) {
                return state.mood != .well && state.random.once(in: 4) ? .failed(.timeout) : .status(200)
            }
            if let fault = state.fault(events.count, isCreation) { return fault }
            if !state.isHealed, let fault = Self.fault(of: events, &state.random) { return fault }
            if isCreation {
                state.sessions += 1
                return .status(201, body: #"{"data":{"id":"S\#(state.sessions)"}}"#)
            }
            state.taken.insert(key)
            fates.took(events.map(\.id), under: key)
            // Taken, but the client does not get to know it.
            let isLost = state.mood == .lossy || state.mood == .mixed && state.random.once(in: 8)
            return isLost && state.random.once(in: 2)
                ? .failed(state.random.pick([.receiveFailed, .timeout])) : .status(200)
        }
    }

    /// The answer to a request that carries an event at fault.
    private static func fault(
        of events: [(id: String, name: String)], _ random: inout SeededGenerator
    ) -> Result<HTTPResponse, TransportError>? {
        let has = { (kind: String) in events.contains { $0.name.hasPrefix(kind) } }
        if has("POISON") { return .status(random.pick([500, 502])) }
        if has("BIG") { return .status(413) }
        return has("BAD") ? .status(random.pick([400, 422, 409, 451]), body: "why") : nil
    }

    /// The events that a request carries.
    private static func events(in request: HTTPRequest, _ key: String) -> [(id: String, name: String)] {
        let body = (request.body.flatMap { try? JSONText(validating: $0) }).map { JSONValue($0) } ?? .null
        guard let members = (body["batch"] ?? body).arrayValue else {
            // A request for a record, for a session or for a user: only the first one has the record's key.
            return key.hasPrefix("m") && !key.contains(":") ? [(key, body["event_name"]?.stringValue ?? "")] : []
        }
        return members.map { event in
            let name = (event["event"] ?? event["name"])?.stringValue ?? ""
            return (event["messageId"]?.stringValue ?? "m\(name.drop { !$0.isNumber })", name)
        }
    }
}

extension AnsweringServer.State {
    /// What the mood has it answer; `nil`: it goes by the events.
    fileprivate mutating func fault(_ count: Int, _ isCreation: Bool) -> Result<HTTPResponse, TransportError>? {
        switch mood {
        case .well, .lossy: return nil
        case .failing:
            return random.pick([.status(500), .status(503), .failed(.connect), .failed(.timeout), .status(302)])
        case .busy:
            let wait: HTTPHeaders = ["Retry-After": "\(random.number(0...90))"]
            return random.pick([.status(429, headers: wait), .status(429), .status(408), .status(503, headers: wait)])
        case .unauthorized: return random.pick([.status(401), .status(403)])
        case .missing: return isCreation ? nil : random.pick([.status(404), .status(410)])
        case .mixed:
            switch random.number(0...29) {
            case 0, 1: return .status(random.pick([500, 503]))
            case 2: return .status(random.pick([408, 429]), headers: ["Retry-After": "3"])
            case 3: return .failed(random.pick([.connect, .timeout, .receiveFailed]))
            case 4: return .status(random.pick([401, 403]))
            case 5: return .status(random.pick([404, 410]))
            case 6: return .status(random.pick([400, 409, 422]))
            case 7...9: return count > 1 || random.once(in: 4) ? .status(413) : nil
            default: return nil
            }
        }
    }
}
