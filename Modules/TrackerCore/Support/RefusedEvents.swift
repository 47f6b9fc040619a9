public import TrackerModels
package import TrackerStorage

/// What to do with refused events.
package enum RefusedAction: Sendable {
    case retry
    case drop
}

extension LaneOutbox {
    /// The events that the server has refused, oldest first.
    package func refused(matching filter: RefusedFilter) throws(StorageError) -> [RefusedEvent] {
        try refused().map(RefusedEvent.init).filter(filter.matches)
    }

    /// Does something with the events that the server has refused.
    ///
    /// - Parameter completion: Called with their number, or why they are as they were.
    package func change(
        refused filter: RefusedFilter, _ action: RefusedAction,
        completion: @escaping @Sendable (Result<Int, StorageError>) -> Void
    ) {
        do throws(StorageError) {
            // Numbers are those of this database.
            let database = try state().database
            let ids = try refused().filter { filter.matches(RefusedEvent($0)) }.map(\.id)
            guard !ids.isEmpty else { return completion(.success(0)) }
            stage(action == .retry ? .requeue(ids) : .dropRefused(ids), of: database) { result in
                switch result.effect {
                case .changed(let count): completion(.success(count))
                case .failed(let error): completion(.failure(error))
                case .refused: completion(.failure(StorageError(.full, "The disk refuses to be written")))
                case .done, .queued, .pending, .repeated: completion(.success(0))
                }
            }
        } catch {
            completion(.failure(error))
        }
    }
}

extension RefusedEvent {
    init(_ record: RefusedRecord) {
        let member = { (name: String) in record.body.value(forKey: name)?.stringValue }
        let (call, name): (String?, String?) =
            switch record.route {
            case .event: ("track", member("event_name"))
            case .profile: ("profile", nil)
            case .metadata: ("setMetadata", nil)
            case .location: ("updateLocation", nil)
            case .email: ("updateSessionEmail", nil)
            case .link: ("linkSession", nil)
            case .batch: (member("type"), member("event"))
            case .endpoint: (member("type"), member("name"))
            }
        let reason: Reason =
            switch record.reason {
            case .tooLarge: .tooLarge
            case .sessionGone: .sessionGone
            case .poison: .poison
            case .plan: .plan
            case .rejected, .evicted, .expired, .reset, .consent, .disabled, .lost, .forgotten: .rejected
            }
        self.init(
            messageID: record.messageID, call: call ?? "track", name: name, reason: reason,
            status: record.rejection.status, answer: record.rejection.answer, refusedAt: record.refusedAt,
            occurredAt: record.occurredAt, attempts: record.rejection.attempts, sessionID: record.session,
            body: record.body)
    }

    /// The event as JSON, under the names that it has over the bridge.
    package func json(of client: ClientName) -> JSONObject {
        [
            "client": .string(client.rawValue), "messageId": .string(messageID.text), "call": .string(call),
            "event": name.map { .string($0) } ?? .null,
            "reason": .string(reason.rawValue), "status": status.map { JSONValue($0) } ?? .null,
            "answer": .string(answer), "refusedAt": .string(refusedAt.description),
            "occurredAt": .string(occurredAt.description), "attempts": JSONValue(attempts),
            "sessionId": sessionID.map { .string($0.text) } ?? .null, "body": JSONValue(body),
        ]
    }
}

extension ControlledClient {
    fileprivate func change(refused filter: RefusedFilter, _ action: RefusedAction) async throws(TrackerError) -> Int {
        try await withCheckedContinuation { continuation in
            control.change(refused: filter, action) { continuation.resume(returning: $0) }
        }.get()
    }
}

extension MobileTracker {
    /// What the server has refused for good: it has left the queue and is kept apart, within `maxRefusedEvents`,
    /// `maxRefusedBytes` and `refusedTTL` of ``DeliveryOptions``.
    ///
    /// - Parameter filter: Which of them; by default all.
    /// - Returns: The events, the oldest first; none before `initialize`.
    /// - Throws: ``TrackerError`` with the code `storage` if the disk cannot be read.
    public func refused(matching filter: RefusedFilter = RefusedFilter()) throws(TrackerError) -> [RefusedEvent] {
        try control.refused(matching: filter)
    }

    /// Queues refused events again, at the end of the queue, each under its message id and for its own session.
    ///
    /// - Parameter filter: Which of them; by default all.
    /// - Returns: How many. A queue that refuses new events when it is full takes as many as there is room for; the
    ///   others stay where they are.
    /// - Throws: ``TrackerError`` with the code `storage` if the disk refuses.
    @discardableResult
    public func retryRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .retry)
    }

    /// Removes refused events for good.
    ///
    /// - Parameter filter: Which of them; by default all.
    /// - Returns: How many.
    /// - Throws: ``TrackerError`` with the code `storage` if the disk refuses.
    @discardableResult
    public func dropRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .drop)
    }
}

extension AnalyticsClient {
    /// What the server has refused for good, as ``MobileTracker/refused(matching:)`` describes.
    public func refused(matching filter: RefusedFilter = RefusedFilter()) throws(TrackerError) -> [RefusedEvent] {
        try control.refused(matching: filter)
    }

    /// Queues refused events again, as ``MobileTracker/retryRefused(matching:)`` does.
    @discardableResult
    public func retryRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .retry)
    }

    /// Removes refused events for good, as ``MobileTracker/dropRefused(matching:)`` does.
    @discardableResult
    public func dropRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .drop)
    }
}

extension BasicTracker {
    /// What the server has refused for good, as ``MobileTracker/refused(matching:)`` describes.
    public func refused(matching filter: RefusedFilter = RefusedFilter()) throws(TrackerError) -> [RefusedEvent] {
        try control.refused(matching: filter)
    }

    /// Queues refused events again, as ``MobileTracker/retryRefused(matching:)`` does.
    @discardableResult
    public func retryRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .retry)
    }

    /// Removes refused events for good, as ``MobileTracker/dropRefused(matching:)`` does.
    @discardableResult
    public func dropRefused(matching filter: RefusedFilter = RefusedFilter()) async throws(TrackerError) -> Int {
        try await change(refused: filter, .drop)
    }
}
