import Synchronization
import TrackerModels
import TrackerStorage

/// How a call gets its place in the order.
extension ClientRuntime {
    /// Has the filter see a call and stages what it has made of it: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - messageID: The key that its caller chose; `nil`: one is made.
    ///   - waitsWhileIdle: Whether the call may wait for an `initialize` that nobody has asked for.
    ///   - caller: Hears of the call once it is on disk or refused.
    func enqueue(
        _ call: Model.Given, messageID: MessageID?, waitsWhileIdle: Bool = true, caller: Caller = .nobody
    ) {
        let place = dependencies.recorder.map { RecorderPlace($0, call) }
        // A function that is replaced at each look would keep its caller for ever.
        for _ in 0..<100 {
            var seen = filter.apply(to: call, log: log)
            let caller = place?.record(&seen, of: call, caller) ?? caller
            let name = seen.changed?.name ?? call.name
            if submit(seen, name, messageID: messageID, waitsWhileIdle: waitsWhileIdle, caller: caller) { return }
        }
        log.log(.warning, "Dropped \(call.name): beforeSend is replaced each time that it is called")
        caller.receive(refuse(call.name, Refusal(.beforeSend)))
    }

    /// The same under a key that may not be valid; returns a receipt.
    func enqueue(_ call: Model.Given, _ key: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        if let key, key.messageID == nil {
            let answer = refuse(call.name, .messageID)
            dependencies.recorder.map { RecorderPlace($0, call) }?.settle(call, answer)
            receipt.resolve(answer.outcome)
        } else {
            enqueue(call, messageID: key?.messageID, caller: Caller(receipt))
        }
        return receipt
    }

    /// Stages a call that has been checked, or has it wait: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - name: What a log calls it.
    ///   - messageID: The key that its caller chose; `nil`: one is made.
    ///   - waitsWhileIdle: Whether the call may wait although `initialize` was not called yet.
    ///   - caller: Hears of the call once it is on disk or refused.
    /// - Returns: Whether that is done. If not, another function is to see the call first.
    func submit(
        _ seen: SeenCall<Model.Given>, _ name: String, messageID: MessageID?, waitsWhileIdle: Bool = true,
        caller: Caller
    ) -> Bool {
        switch seen.checked {
        case .failure(let fault):
            let refusal = contents.withLock { $0.state.refusal } ?? fault
            caller.receive(refuse(name, refusal))
        case .success(let content):
            let time = dependencies.clock.wall
            let stamp = CallStamp(
                messageID: messageID ?? Model.messageID(at: time, dependencies.ids), hasCallerKey: messageID != nil,
                occurredAt: time, acceptedAt: dependencies.clock.uptime,
                number: lastCall.add(1, ordering: .relaxed).newValue, name: name, caller: caller)
            switch submit(
                PendingCall(call: content, stamp: stamp, isSeen: seen.isSeen), seenBy: seen.version,
                waitsWhileIdle: waitsWhileIdle)
            {
            case .taken: break
            case .refused(let refusal): caller.receive(refuse(name, refusal))
            case .unseen: return false
            }
        }
        return true
    }

    private enum Submission {
        /// It is staged, or waits for its turn.
        case taken
        case refused(Refusal)
        /// The function that sees calls now has not seen this one.
        case unseen
    }

    private func submit(_ call: State.Call, seenBy version: Int, waitsWhileIdle: Bool) -> Submission {
        // As a rule nothing is before the call, and it need not become an action first.
        let direct = contents.withLock { contents -> Submission? in
            if version != filter.version { return .unseen }
            guard let run = contents.state.directRun else { return nil }
            return stage(call, in: run, &contents).map { .refused($0) } ?? .taken
        }
        if let direct { return direct }
        var submission = Submission.taken
        handle { contents in
            if version != filter.version {
                submission = .unseen
            } else if !waitsWhileIdle, contents.state.wouldKeepCallWaiting {
                submission = .refused(.notInitialized)
            } else {
                contents.state.submit(.call(call))
            }
        }
        return submission
    }

    /// Brings the model to where a call has brought it in a process that died. Nothing is stored.
    ///
    /// - Returns: What the call was answered with there, or why it is not valid.
    func restore(
        _ call: Model.Given, _ messageID: MessageID?, _ change: (inout Model, Model.Given.Checked) -> Void
    ) -> CallAnswer {
        switch call.checked() {
        case .failure(let fault): return refuse(call.name, fault)
        case .success(let checked):
            update { change(&$0, checked) }
            return .success(.queued(messageID ?? dependencies.ids.messageID()))
        }
    }

    func refuse(_ name: String, _ refusal: Refusal) -> CallAnswer {
        contents.withLock { $0.refused[refusal.reason, default: 0] += 1 }
        reporter.refused(name, refusal)
        return .failure(refusal)
    }

    /// Has a function see the calls that wait for the `initialize` that has brought it, but for those that another
    /// function has seen. It sees the calls that come from now on when they are made.
    ///
    /// - Parameter given: A call as the program has made it.
    func filterWaitingCalls(by body: @escaping BeforeSend, _ given: (Model.Call) -> Model.Given) {
        let waiting = contents.withLock { contents -> [State.Call] in
            switch contents.state.phase {
            case .idle, .resetting: break
            case .opening, .ready, .withoutSession, .disabled, .shutDown: return []
            }
            filter.propose(body)
            return contents.state.pending.allCalls.filter { !$0.isSeen }
        }
        // By the calls' numbers.
        var changed: [Int: State.Call] = [:]
        var refused: [Int: (name: String, refusal: Refusal)] = [:]
        for call in waiting {
            let made = given(call.call)
            let seen = filter.apply(to: made, log: log)
            let name = seen.changed?.name ?? made.name
            switch seen.checked {
            case .success(let new):
                changed[call.stamp.number] = State.Call(
                    call: new, stamp: call.stamp.named(name), isSeen: seen.isSeen)
            case .failure(let refusal): refused[call.stamp.number] = (name, refusal)
            }
        }
        // Those that no longer wait were answered, or were staged by another `initialize`, meanwhile.
        let removed = contents.withLock { contents in
            contents.state.pending.replaceCalls { call in
                // Another function was at work meanwhile, and has seen it first.
                guard !call.isSeen else { return call }
                return refused[call.stamp.number] == nil ? changed[call.stamp.number] ?? call : nil
            }
        }
        for call in removed {
            guard let (name, refusal) = refused[call.stamp.number] else { continue }
            call.stamp.caller.receive(refuse(name, refusal))
        }
    }
}
