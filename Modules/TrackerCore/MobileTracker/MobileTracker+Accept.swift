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
        let content = Result { () throws(Refusal) in try call.content() }
        let refusal = state.withLock { state -> Refusal? in
            guard let (settings, lane) = state.current else {
                return Refusal(.notInitialized, ClientReporter.sentence(.notInitialized, call.name))
            }
            switch content {
            case .failure(let refusal): return refusal
            case .success(let content):
                if content.continues != nil, !settings.config.crossSiteCookie { return .crossSiteCookieIsOff }
                var draft = draft(content, messageID)
                // With delivery halted the call is held until `initialize` resumes it.
                draft.isHeld = lane.engine.isHalted
                var view: ShownScreen.View?
                if let url = content.shownURL {
                    view = state.shown.show(url)
                    // A key that was used before is answered as it was then, by the outbox.
                    if view == nil, messageID == nil { return .repeatedScreen }
                    if view == nil { draft.refusal = .repeatedScreen }
                }
                // Staged under the lock: the order of acceptance is the order on disk.
                let change = content.continues.map { .continueSession($0, link: draft) } ?? LaneChange.append(draft)
                lane.outbox.stage(change) { [self, view] result in
                    switch result {
                    case .queued(_, let lane), .pending(_, let lane): tell(lane.entry.session)
                    case .done, .repeated, .refused, .failed: break
                    }
                    let outcome = outcome(of: result, for: call, lane)
                    if let view, case .dropped = outcome { self.state.withLock { $0.shown.takeBack(view) } }
                    completion(outcome)
                }
                return nil
            }
        }
        if let refusal { completion(refuse(call.name, refusal)) }
    }

    /// Accepts a call under a key that may be none.
    func accept(
        _ call: TrackerCall, key: CallerKey?, completion: @escaping @Sendable (TrackOutcome) -> Void
    ) {
        guard let key else { return accept(call, completion: completion) }
        guard let messageID = key.messageID else {
            return completion(refuse(call.name, .invalidMessageID(of: call.name)))
        }
        accept(call, messageID: messageID, completion: completion)
    }

    /// Does something when every call accepted before has taken effect.
    ///
    /// A reset that is still on its way to the disk would otherwise not be seen. Nothing waits for the network.
    ///
    /// - Parameter body: Run once, at once if there is nothing to wait for. Must not block.
    package func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) {
        guard let lane else { return body() }
        lane.outbox.stage(.barrier) { _ in body() }
    }

    /// Refuses a call whose value JSON cannot hold.
    package func refuseSerialization(of name: String, _ reason: String) {
        state.withLock { $0.refused[.serialization, default: 0] += 1 }
        reporter.refused(name, Refusal(.serialization, "\(name): \(reason)"))
    }

    private func draft(_ content: CallContent, _ messageID: MessageID?) -> Draft {
        let body: Draft.Body =
            switch content.body {
            case .complete(let text): .complete(text)
            case .event(let head, let data): .withSessionMetadata(head, own: data)
            }
        return Draft(
            messageID: messageID ?? dependencies.ids.messageID(), hasCallerKey: messageID != nil, route: content.route,
            body: body,
            sessionMetadata: content.sessionMetadata, occurredAt: dependencies.clock.wall,
            acceptedAt: dependencies.clock.uptime
        )
    }

    private func outcome(of result: ChangeResult, for call: TrackerCall, _ lane: OpenLane) -> TrackOutcome {
        switch result {
        case .queued(let id, _):
            log.endRefusals()
            lane.engine.kick()
            return .queued(id)
        case .pending(let id, _):
            log.endRefusals()
            lane.engine.kick()
            log.verbose(.info) { "Missing session ID - queuing event: \(call.name)" }
            return .pending(id)
        case .refused(let reason):
            return refuse(call.name, Refusal(reason, ClientReporter.sentence(reason, call.name)))
        case .failed(let error):
            return refuse(call.name, Refusal(.storage, error.message))
        case .done, .repeated:
            return refuse(call.name, Refusal(.storage, "The outbox gave no answer"))
        }
    }

    /// Logs and counts a refusal.
    func refuse(_ call: String, _ refusal: Refusal) -> TrackOutcome {
        state.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        reporter.refused(call, refusal)
        return .dropped(refusal.reason)
    }
}
