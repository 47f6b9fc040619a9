import Synchronization
public import TrackerModels
import TrackerStorage

extension AnalyticsClient {
    /// What is left to do once the state is let go.
    typealias Effect = @Sendable () -> Void

    /// Accepts a call: its place in the order is fixed when this returns.
    @discardableResult
    public func enqueue(_ call: AnalyticsCall, messageId: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        if let messageId, messageId.messageID == nil {
            receipt.settle(refuse(call.name, .invalidMessageID(of: call.name)))
        } else {
            accept(call, messageID: messageId?.messageID) { receipt.settle($0) }
        }
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
        do throws(Refusal) {
            try call.check()
        } catch {
            return completion(refuse(call.name, error))
        }
        let time = dependencies.clock.wall
        let held = HeldCall(
            call: call, messageID: messageID ?? makeMessageID(at: time), hasCallerKey: messageID != nil, time: time,
            uptime: dependencies.clock.uptime, completion: completion)
        let effects = state.withLock { state -> [Effect] in
            if case .ready(let run) = state.phase, state.held.isEmpty {
                stage(held, run)
                return []
            }
            if !holdsWhileIdle, state.held.leavesIdle(state.isIdle) {
                return [refusal(of: held, .notInitialized)]
            }
            state.held.append(.call(held))
            var effects = drain(&state)
            while state.held.calls > state.capacity || state.held.bytes > state.byteCapacity && state.held.calls > 1,
                let oldest = state.held.popOldestCall()
            {
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
                case .ready(let run): stage(call, run)
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
                effects.append { [self] in begin(flush, run) }
            case .after(let body):
                guard let run = state.run else {
                    effects.append(body)
                    break
                }
                run.lane.outbox.stage(.barrier) { _ in body() }
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
    private func stage(_ held: HeldCall, _ run: Run) {
        let change: LaneChange
        if let body = AnalyticsEvent.body(
            of: held.call, context: run.settings.context, messageID: held.messageID, at: held.time)
        {
            change = .append(
                Draft(
                    messageID: held.messageID, hasCallerKey: held.hasCallerKey, route: .batch, body: .template(body),
                    values: held.call.changes, occurredAt: held.time, acceptedAt: held.uptime))
        } else {
            change = .set(held.call.changes, messageID: held.hasCallerKey ? held.messageID : nil)
        }
        run.lane.outbox.stage(change) { [self] in held.completion(outcome(of: $0, held, run)) }
    }

    private func outcome(of result: ChangeResult, _ held: HeldCall, _ run: Run) -> TrackOutcome {
        switch result {
        case .queued(let id, _), .pending(let id, _):
            log.endRefusals()
            run.lane.engine.kick()
            return .queued(id)
        case .done, .repeated:
            return .queued(held.messageID)
        case .refused(let reason):
            return refuse(held.call.name, Refusal(reason, ClientReporter.sentence(reason, held.call.name)))
        case .failed(let error):
            return refuse(held.call.name, Refusal(.storage, error.message))
        }
    }

    /// Tells that a call is refused, once the state is let go.
    func refusal(of held: HeldCall, _ reason: RefusalReason) -> Effect {
        { [self] in
            let name = held.call.name
            held.completion(refuse(name, Refusal(reason, ClientReporter.sentence(reason, name))))
        }
    }

    func refuse(_ name: String, _ refusal: Refusal) -> TrackOutcome {
        state.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        reporter.refused(name, refusal)
        return .dropped(refusal.reason)
    }

    /// `<epochMillis>-<uuid>`
    private func makeMessageID(at time: Timestamp) -> MessageID {
        var id: MessageID?
        // Digits, a hyphen and a UUID always are a message id.
        while id == nil { id = MessageID("\(time.milliseconds)-\(dependencies.ids.uuid())") }
        return id ?? makeMessageID(at: time)
    }
}
