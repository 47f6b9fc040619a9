import Synchronization
package import TrackerModels
import TrackerStorage

extension MobileTracker {
    /// Accepts a call: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - messageID: The key its caller chose; `nil`: one is made.
    ///   - completion: Told what became of it, once it is on disk or refused. Must not block.
    package func accept(
        _ call: TrackerCall, messageID: MessageID? = nil,
        completion: @escaping @Sendable (TrackOutcome) -> Void = { _ in }
    ) {
        accept(call, messageID: messageID, as: LaneChange.append, completion: completion)
    }

    /// Accepts a call that changes the lane in its own way.
    ///
    /// - Parameters:
    ///   - change: What the call's record is staged as.
    func accept(
        _ call: TrackerCall, messageID: MessageID?, as change: (Draft) -> LaneChange,
        completion: @escaping @Sendable (TrackOutcome) -> Void
    ) {
        let content = Result { () throws(Refusal) in try call.content() }
        let refusal = state.withLock { state -> Refusal? in
            guard let lane = state.lane else {
                return Refusal(.notInitialized, "Not initialized. Call initialize() first.")
            }
            switch content {
            case .failure(let refusal): return refusal
            case .success(let content):
                var view: ShownScreen.View?
                if case .screenDidAppear(let name, let url, _) = call {
                    view = state.shown.show(url ?? name)
                    if view == nil { return Refusal(.repeatedScreen, "The screen is shown already") }
                }
                // With delivery halted the call is held until `initialize` resumes it.
                let isHalted = lane.engine.isHalted
                // Staged under the lock: the order of acceptance is the order on disk.
                lane.outbox.stage(change(draft(content, messageID))) { [self, view] result in
                    switch result {
                    case .queued(_, let lane), .pending(_, let lane): tell(lane.entry.session)
                    case .done, .repeated, .refused, .failed: break
                    }
                    let outcome = outcome(of: result, for: call, lane, isHalted)
                    if let view, case .dropped = outcome { self.state.withLock { $0.shown.takeBack(view) } }
                    completion(outcome)
                }
                return nil
            }
        }
        if let refusal { completion(refuse(call, refusal)) }
    }

    /// Accepts a call and waits until it is on disk.
    package func submit(_ call: TrackerCall, messageID: MessageID? = nil) async -> TrackOutcome {
        await withCheckedContinuation { continuation in
            accept(call, messageID: messageID) { continuation.resume(returning: $0) }
        }
    }

    /// Refuses a call whose value JSON cannot hold.
    package func refuseSerialization(of name: String, _ reason: String) {
        state.withLock { $0.refused[.serialization, default: 0] += 1 }
        news.refused(name, Refusal(.serialization, "\(name): \(reason)"))
    }

    private func draft(_ content: CallContent, _ messageID: MessageID?) -> Draft {
        let body: Draft.Body =
            switch content.body {
            case .complete(let text): .complete(text)
            case .event(let head, let data): .withSessionMetadata(head, own: data)
            }
        return Draft(
            messageID: messageID ?? surroundings.ids.messageID(), hasCallerKey: messageID != nil, route: content.route,
            body: body,
            sessionMetadata: content.sessionMetadata, occurredAt: surroundings.clock.wall,
            acceptedAt: surroundings.clock.uptime
        )
    }

    private func outcome(
        of result: ChangeResult, for call: TrackerCall, _ lane: OpenLane, _ isHalted: Bool
    ) -> TrackOutcome {
        switch result {
        case .queued(let id, _):
            lane.engine.kick()
            return isHalted ? .pending(id) : .queued(id)
        case .pending(let id, _):
            lane.engine.kick()
            log.verbose(.info) { "Missing session ID - queuing event: \(call.name)" }
            return .pending(id)
        case .refused(let reason):
            return refuse(call, Refusal(reason, ClientNews.sentence(reason, call.name)))
        case .failed(let error):
            return refuse(call, Refusal(.storage, error.message))
        case .done, .repeated:
            return refuse(call, Refusal(.storage, "The outbox gave no answer"))
        }
    }

    /// Logs and counts a refusal.
    private func refuse(_ call: TrackerCall, _ refusal: Refusal) -> TrackOutcome {
        state.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        news.refused(call.name, refusal)
        return .dropped(refusal.reason)
    }
}
