import Synchronization
package import TrackerModels
import TrackerStorage

extension BasicTracker {
    /// Accepts a call: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - messageID: The key its caller chose; `nil`: one is made.
    ///   - completion: Told what became of it, once it is on disk or refused. Must not block.
    package func accept(
        _ call: BasicCall, messageID: MessageID? = nil,
        completion: @escaping @Sendable (TrackOutcome) -> Void = { _ in }
    ) {
        let checked = Result { () throws(Refusal) in try call.checked() }
        let refusal = state.withLock { state -> Refusal? in
            guard let run = state.run else {
                return Refusal(.notInitialized, ClientReporter.sentence(.notInitialized, call.name))
            }
            switch checked {
            case .failure(let refusal): return refusal
            case .success(let values):
                var user = state.user
                var identification: MessageID?
                if case .identify(let userId, _) = call {
                    // One that is made again changes nothing: others may have followed it. One from an earlier run does:
                    // nobody else has told this one who the user is.
                    identification = messageID
                    if !(messageID.map(state.identified.contains) ?? false) {
                        user = BasicUser(userId: userId, traits: values)
                    }
                }
                let time = dependencies.clock.wall
                let body = BasicEvent.body(of: call, values, from: user, context: state.context, at: time)
                // A call that is refused leaves no trace: not in the user either.
                guard body.byteCount <= run.settings.delivery.maxEventBytes else {
                    return Refusal(.tooLarge, ClientReporter.sentence(.tooLarge, call.name))
                }
                state.user = user
                if let identification { state.identified.insert(identification) }
                let draft = Draft(
                    messageID: messageID ?? dependencies.ids.messageID(), hasCallerKey: messageID != nil,
                    route: .endpoint, body: .complete(body), occurredAt: time, acceptedAt: dependencies.clock.uptime)
                let held = HeldCall(draft: draft, name: call.name, completion: completion)
                // Staged under the lock: the order of acceptance is the order on disk.
                if state.held != nil { state.held?.append(held) } else { stage(held, run) }
                return nil
            }
        }
        if let refusal { completion(refuse(call.name, refusal)) }
    }

    /// Has later events carry a user that was identified before, without an event that says so: for a program that
    /// starts its tracker again and still knows who the user is.
    package func recall(userId: String, traits: JSONText?) {
        guard !userId.isBlank else { return }
        state.withLock { $0.user = BasicUser(userId: userId, traits: traits) }
    }

    /// Does something when every call accepted before has taken effect. Nothing waits for the network.
    ///
    /// - Parameter body: Run once, at once if there is nothing to wait for. Must not block.
    package func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) {
        guard let run = state.withLock({ $0.run }) else { return body() }
        run.lane.outbox.stage(.barrier) { _ in body() }
    }

    /// Refuses a call whose value JSON cannot hold.
    package func refuseSerialization(of name: String, _ reason: String) {
        _ = refuse(name, Refusal(.serialization, "\(name): \(reason)"))
    }

    /// Accepts a call and hands out a receipt for it.
    func enqueue(_ call: BasicCall, _ messageId: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        if let messageId, messageId.messageID == nil {
            receipt.settle(refuse(call.name, .invalidMessageID(of: call.name)))
        } else {
            accept(call, messageID: messageId?.messageID) { receipt.settle($0) }
        }
        return receipt
    }

    func stage(_ held: HeldCall, _ run: Run) {
        var draft = held.draft
        // With delivery halted the call is held until `initialize` resumes it.
        draft.isHeld = run.lane.engine.isHalted
        run.lane.outbox.stage(.append(draft)) { [self] result in
            held.completion(outcome(of: result, held.name, run))
        }
    }

    private func outcome(of result: ChangeResult, _ name: String, _ run: Run) -> TrackOutcome {
        switch result {
        case .queued(let id, _):
            log.endRefusals()
            run.lane.engine.kick()
            return .queued(id)
        case .pending(let id, _):
            log.endRefusals()
            run.lane.engine.kick()
            return .pending(id)
        case .refused(let reason):
            return refuse(name, Refusal(reason, ClientReporter.sentence(reason, name)))
        case .failed(let error):
            return refuse(name, Refusal(.storage, error.message))
        case .done, .repeated:
            return refuse(name, Refusal(.storage, "The outbox gave no answer"))
        }
    }

    func refuse(_ name: String, _ refusal: Refusal) -> TrackOutcome {
        state.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        reporter.refused(name, refusal)
        return .dropped(refusal.reason)
    }
}
