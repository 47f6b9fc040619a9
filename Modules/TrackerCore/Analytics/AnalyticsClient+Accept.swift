import Synchronization
public import TrackerModels
import TrackerStorage

extension AnalyticsClient {
    /// What is left to do once the state is let go.
    typealias Effect = @Sendable () -> Void

    /// Accepts a call: its place in the order is fixed when this returns.
    @discardableResult
    public func accept(_ call: AnalyticsCall, messageId: MessageID?) -> CallReceipt {
        let receipt = CallReceipt()
        accept(call, messageID: messageId) { receipt.settle($0) }
        return receipt
    }

    /// Accepts a call: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - messageID: The key its caller chose, and the event's `messageId`; `nil`: one is made.
    ///   - holdsWhileIdle: Whether a call that would wait for an `initialize` which nobody has asked for is held; else
    ///     it is refused as not initialised.
    ///   - completion: Told what became of it, once it is on disk or refused. Must not block.
    package func accept(
        _ call: AnalyticsCall, messageID: MessageID?, holdsWhileIdle: Bool = true,
        completion: @escaping @Sendable (TrackOutcome) -> Void
    ) {
        let checked: AnalyticsCall
        do throws(Refusal) {
            checked = try call.checked()
        } catch {
            return completion(refuse(call.name, error))
        }
        let time = surroundings.clock.wall
        let held = HeldCall(
            call: checked, messageID: messageID ?? makeMessageID(at: time), hasCallerKey: messageID != nil, time: time,
            uptime: surroundings.clock.uptime, completion: completion)
        let effects = state.withLock { state -> [Effect] in
            if case .ready(let run) = state.phase, state.held.isEmpty { return stage(held, run, &state) }
            if !holdsWhileIdle, state.held.leavesIdle(state.isIdle) {
                return [refusal(of: held, .notInitialized)]
            }
            state.held.append(.call(held))
            var effects = drain(&state)
            if state.held.calls > state.capacity, let oldest = state.held.popOldestCall() {
                effects.append(refusal(of: oldest, .queueFull))
            }
            return effects
        }
        for effect in effects { effect() }
    }

    /// Does something when every call accepted before has taken effect. Nothing waits for the network.
    ///
    /// - Parameter body: Run once, at once if there is nothing to wait for. Must not block.
    package func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) { submit(.after(body)) }

    /// Refuses a call whose value JSON cannot hold.
    package func refuseSerialization(of name: String, _ reason: String) {
        _ = refuse(name, Refusal(.serialization, "\(name): \(reason)"))
    }

    /// Does what waits, in its order, as far as the client is able to.
    func drain(_ state: inout State) -> [Effect] {
        var effects: [Effect] = []
        while let item = next(&state) {
            switch item {
            case .call(let call):
                switch state.phase {
                case .ready(let run): effects += stage(call, run, &state)
                case .disabled(_, .storage): effects.append(refusal(of: call, .storage))
                case .disabled: effects.append(refusal(of: call, .disabled))
                default: effects.append(refusal(of: call, .notInitialized))
                }
            case .initialize(let options, let completion):
                effects += begin(options, completion, &state)
            case .reset(let messageID, let completion):
                effects += reset(messageID, completion, &state)
            case .flush(let flush):
                guard let run = state.run else {
                    effects.append { flush.end(.notInitialized) }
                    break
                }
                let renewals = state.renewals
                effects.append { [self] in begin(flush, run, since: renewals) }
            case .after(let body):
                guard let run = state.run else {
                    effects.append(body)
                    break
                }
                let renewals = state.renewals
                run.lane.outbox.stage(.barrier) { [self] _ in
                    // Calls before it may have been put back.
                    if self.state.withLock({ $0.renewals }) == renewals { body() } else { submit(.after(body)) }
                }
            }
        }
        return effects
    }

    /// Has something done in its order.
    func submit(_ item: HeldItem) {
        let effects = state.withLock { state -> [Effect] in
            state.held.append(item)
            return drain(&state)
        }
        for effect in effects { effect() }
    }

    /// The first item that the client is able to take.
    private func next(_ state: inout State) -> HeldItem? {
        switch state.phase {
        case .initializing, .resetting: nil
        case .idle: state.held.popFirstOther()
        case .ready, .disabled, .shutDown: state.held.popFirst()
        }
    }

    /// Puts a call into the outbox, under the lock: the order of acceptance is the order on disk.
    ///
    /// It speaks for one generation. If another process ends that first, the call waits for the next identity.
    private func stage(_ held: HeldCall, _ run: Run, _ state: inout State) -> [Effect] {
        guard var voice = state.voice else { return [refusal(of: held, .notInitialized)] }
        let change = voice.note(held.call)
        let body = AnalyticsEvent.body(
            of: held.call, from: voice.identity, context: voice.context, messageID: held.messageID, at: held.time)
        // A call that is refused leaves no trace: not in the identity either.
        guard (body?.byteCount ?? 0) <= run.settings.delivery.maxEventBytes else {
            return [refusal(of: held, .tooLarge)]
        }
        state.voice = voice
        let completion: @Sendable (ChangeResult) -> Void = { [self, generation = voice.generation] result in
            switch result {
            case .outdated where putBack(held, run): break
            case .done(let lane) where lane.generation != generation && putBack(held, run): break
            default: held.completion(outcome(of: result, held, run))
            }
        }
        guard let body else {
            run.lane.outbox.stage(change ?? .barrier, completion: completion)
            return []
        }
        if let change { run.lane.outbox.stage(change) { _ in } }
        let draft = Draft(
            messageID: held.messageID, hasCallerKey: held.hasCallerKey, route: .batch, body: .complete(body),
            generation: voice.generation, occurredAt: held.time, acceptedAt: held.uptime)
        run.lane.outbox.stage(.append(draft), completion: completion)
        return []
    }

    private func outcome(of result: ChangeResult, _ held: HeldCall, _ run: Run) -> TrackOutcome {
        switch result {
        case .queued(let id, _), .pending(let id, _):
            run.lane.engine.kick()
            return .queued(id)
        case .done:
            return .queued(held.messageID)
        case .outdated:
            let isDisabled = if case .disabled = state.withLock({ $0.phase }) { true } else { false }
            let reason: RefusalReason = isDisabled ? .disabled : .notInitialized
            return refuse(held.call.name, Refusal(reason, ClientNews.sentence(reason, held.call.name)))
        case .refused(let reason):
            return refuse(held.call.name, Refusal(reason, ClientNews.sentence(reason, held.call.name)))
        case .failed(let error):
            return refuse(held.call.name, Refusal(.storage, error.message))
        }
    }

    /// Tells that a call is refused, once the state is let go.
    func refusal(of held: HeldCall, _ reason: RefusalReason) -> Effect {
        { [self] in
            let name = held.call.name
            held.completion(refuse(name, Refusal(reason, ClientNews.sentence(reason, name))))
        }
    }

    private func refuse(_ name: String, _ refusal: Refusal) -> TrackOutcome {
        state.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        news.refused(name, refusal)
        return .dropped(refusal.reason)
    }

    /// `<epochMillis>-<uuid>`
    private func makeMessageID(at time: Timestamp) -> MessageID {
        var id: MessageID?
        // Digits, a hyphen and a UUID always are a message id.
        while id == nil { id = MessageID("\(time.milliseconds)-\(surroundings.ids.uuid())") }
        return id ?? makeMessageID(at: time)
    }
}
