import Synchronization
import TrackerModels
import TrackerStorage

/// Checks the calls of a client against its plan, when they are about to be queued.
///
/// Only then is the data of an event whole: it has the session's metadata. The writer's queue asks ``inspect(_:_:_:)``,
/// inside the transaction, and ``report(_:by:)`` logs what was found once the call is answered.
final class PlanGuard: Sendable {
    private struct Content {
        /// What is wrong with calls that are not answered yet, each with what a sentence calls it.
        var found: [MessageID: (label: String, reasons: [TrackingPlan.Reason])] = [:]
        /// The calls and rules that were warned of.
        var known: Set<String> = []

        /// What was found about a call, and what of it is to be warned of.
        mutating func take(
            _ id: MessageID, warns: Bool
        ) -> (label: String, reasons: [TrackingPlan.Reason], news: [TrackingPlan.Reason])? {
            guard let (label, reasons) = found.removeValue(forKey: id) else { return nil }
            // A dropped call is reported by its outcome.
            guard warns else { return (label, reasons, []) }
            let news = reasons.filter { reason in
                known.count < PlanGuard.mostWarnings && known.insert("\(label) \(reason.rule)").inserted
            }
            return (label, reasons, news)
        }
    }

    private let plan: TrackingPlan
    private let onBroken: PlanOptions.OnBroken
    private let content = Mutex(Content())

    /// Past that many warnings there are no further ones.
    private static let mostWarnings = 1_000
    /// The member of data or traits that break the plan, with `tag`.
    private static let tag = "plan_violations"

    /// Reads the plan that options name.
    ///
    /// - Returns: `nil` if they name none.
    /// - Throws: `invalidConfiguration` naming the option, and what is wrong with the file and where.
    init?(_ options: PlanOptions) throws(TrackerError) {
        guard let path = options.file else { return nil }
        do throws(OptionFault.Reason) {
            plan = try PlanFile.read(path)
        } catch {
            throw FieldCheck.fault("plan.file", error)
        }
        onBroken = options.onBroken
    }

    /// What is to become of a record.
    func inspect(_ messageID: MessageID, _ route: Route, _ body: JSONText) -> Inspection {
        guard let call = PlannedCall(route, body, under: plan) else { return .pass }
        let reasons = plan.reasons(against: call.subject, call.data)
        guard !reasons.isEmpty else { return .pass }
        content.withLock { $0.found[messageID] = (call.subject.label, reasons) }
        switch onBroken {
        case .warn: return .pass
        case .drop: return .refuse(Self.text(reasons))
        case .tag:
            var tags = JSONObjectWriter()
            // They are text, which always can be written.
            let sentences = JSONText(elements: reasons.map { JSONText($0.sentence) })
            tags.append(Self.tag, sentences)
            return .change(call.body(body, adding: tags.finish()))
        }
    }

    /// Whether a record will be dropped, of which all is known already.
    func drops(_ draft: Draft) -> Bool {
        guard onBroken == .drop, case .complete(let body) = draft.content.body,
            let call = PlannedCall(draft.content.route, body, under: plan)
        else { return false }
        return !plan.reasons(against: call.subject, call.data).isEmpty
    }

    /// Takes what was found about a call that is answered, and warns of what was not warned of before.
    ///
    /// - Returns: What is wrong with it, as a text; `nil` if nothing is.
    func report(_ id: MessageID, by log: LevelledLog) -> String? {
        guard let (label, reasons, news) = content.withLock({ $0.take(id, warns: onBroken != .drop) }) else {
            return nil
        }
        for reason in news { log.log(.warning, "\(label) breaks the plan: \(reason.bareSentence)") }
        return reasons.map(\.bareSentence).joined(separator: " ")
    }

    private static func text(_ reasons: [TrackingPlan.Reason]) -> String {
        reasons.map(\.sentence).joined(separator: " ")
    }
}
