import Synchronization
import TrackerModels
import TrackerStorage

/// How a call gets into a lane, and how its caller hears of it.
extension ClientRuntime {
    /// Stages a call in a lane.
    ///
    /// - Returns: Why it is refused instead.
    func stage(_ call: State.Call, in run: Run, _ contents: inout Contents) -> Refusal? {
        let change: LaneChange
        do throws(Refusal) {
            change = try contents.model.change(for: call.call, call.stamp, under: run.settings)
        } catch {
            return error
        }
        // While delivery is halted, the call waits until `initialize` resumes delivery.
        let isHalted = contents.state.knowsOfHalt
        switch change {
        case .append(var draft):
            draft.isPending = isHalted
            // What it gives later calls, too: the model knows that it is dropped before any of these.
            if draft.isNoted, run.lane.parts.plan?.drops(draft) == true {
                contents.model.refused(draft.stamp.number, draft.stamp.messageID)
            }
            let owner = RecordOwner(self, run: run.number)
            run.lane.outbox.stage(draft, of: owner) { [self] in { [self] in answer($0, in: run) } }
        case .continueSession(let session, var link):
            link.isPending = isHalted
            stage(.continueSession(session, link: link), of: call.stamp, in: run)
        default: stage(change, of: call.stamp, in: run)
        }
        return nil
    }

    private func stage(_ change: LaneChange, of call: CallStamp, in run: Run) {
        run.lane.outbox.stage(change) { [self] in answer(call, $0, in: run) }
    }

    /// Tells the model that something has happened, and does what it wants done.
    func follow(_ event: (inout Model) -> [ModelEffect<Model.Given>]) {
        let effects = contents.withLock { contents in
            let effects = event(&contents.model)
            // The lane learns of it in the order of the calls.
            for case .setInBackground(let isInBackground) in effects {
                contents.state.run?.lane.setInBackground(isInBackground)
            }
            return effects
        }
        // After most calls there is nothing to do.
        guard !effects.isEmpty else { return }
        let lane = lane
        for effect in effects {
            switch effect {
            case .report(let diagnostic): hub.report(diagnostic)
            case .call(let call): enqueue(call, messageID: nil)
            case .locate(let provider, let call): locate(provider, call)
            case .setInBackground: break
            case .makeDue(let sequence): lane?.engine.makeDue(through: sequence)
            }
        }
    }

    /// Tells the model what has become of records, and then their callers.
    private func answer(_ records: AnsweredRecords, in run: Run) {
        follow { model in
            var effects: [ModelEffect<Model.Given>] = []
            let lane = Model.followsCommits ? records.lane.map { ($0.entry.session, $0.generation) } : nil
            for index in records.indices {
                if case .refused = records.effect(index) {
                    guard records.isNoted(index) else { continue }
                    model.refused(records.number(index), records.messageID(index))
                } else if let (session, generation) = lane {
                    effects += model.committed(records.number(index), in: session, of: generation)
                }
            }
            return effects
        }
        let plan = run.lane.parts.plan
        var index = records.indices.lowerBound
        var isTaken = false
        while index < records.indices.upperBound {
            let effect = records.effect(index)
            if case .refused = effect {
                isTaken = false
            } else if !isTaken {
                isTaken = true
                took(in: run)
            }
            if plan == nil, effect == .queued, case let kept = records.keepPromises(from: index), kept > 0 {
                index += kept
                continue
            }
            let id = records.messageID(index)
            let broken = plan?.report(id, by: log)
            if effect == .pending { note { records.name(index) } }
            records.answer(index, answer(effect, id) { refuse(records.name(index), refusal($0, broken, in: run)) })
            index += 1
        }
    }

    /// The same of a call that is no record.
    private func answer(_ call: CallStamp, _ result: ChangeResult, in run: Run) {
        let id = call.messageID
        let broken = run.lane.parts.plan?.report(id, by: log)
        switch result.effect {
        case .queued, .pending:
            if Model.followsCommits, let lane = result.lane {
                follow { $0.committed(call.number, in: lane.entry.session, of: lane.generation) }
            }
            took(in: run)
            if result.effect == .pending { note { call.name } }
        case .done, .repeated, .changed, .refused, .failed: break
        }
        call.caller.receive(answer(result.effect, id) { refuse(call.name, refusal($0, broken, in: run)) })
    }

    /// What a caller is told.
    private func answer(
        _ effect: ChangeResult.Effect, _ id: MessageID, _ refuse: (RefusalReason) -> CallAnswer
    ) -> CallAnswer {
        switch effect {
        case .queued, .done, .repeated, .changed: .success(.queued(id))
        case .pending: .success(.pending(id))
        case .refused(let reason): refuse(reason)
        case .failed: refuse(.storage)
        }
    }

    /// The lane has taken a call.
    private func took(in run: Run) {
        log.endRefusals()
        run.lane.engine.kick()
    }

    private func note(_ name: () -> String) {
        guard let text = Model.pendingNote else { return }
        log.verbose(.info) { "\(text): \(name())" }
    }

    /// - Parameter broken: What is wrong with the call by the plan.
    private func refusal(_ reason: RefusalReason, _ broken: String?, in run: Run) -> Refusal {
        switch reason {
        case .plan: Refusal(.plan, .plan, ["detail": .string(broken ?? "")])
        case .tooLarge: .tooLarge(under: current(run).settings.delivery)
        default: Refusal(reason)
        }
    }
}
