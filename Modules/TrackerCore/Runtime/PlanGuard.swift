import Synchronization
import TrackerModels
import TrackerPlatform
import TrackerStorage

/// Checks the events of a client against its plan, when they are about to be queued.
///
/// Only then is the data whole: it has the session's metadata. The writer's queue asks ``inspect(_:_:)``, inside the
/// transaction, and ``report(_:of:by:)`` logs what was found once the call is answered.
final class PlanGuard: Sendable {
    private struct Content {
        /// What is wrong with events whose calls are not answered yet.
        var found: [MessageID: [TrackingPlan.Reason]] = [:]
        /// The events and rules that were warned of.
        var known: Set<String> = []
    }

    private let plan: TrackingPlan
    private let onBroken: PlanOptions.OnBroken
    private let content = Mutex(Content())

    /// Past that many warnings there are no further ones.
    private static let mostWarnings = 1_000
    /// The member of an event that breaks the plan, with `tag`.
    private static let tag = "plan_violations"

    /// Reads the plan that options name.
    ///
    /// - Returns: `nil` if they name none.
    /// - Throws: `invalidConfiguration` naming the option, and what is wrong with the file and where.
    init?(_ options: PlanOptions) throws(TrackerError) {
        guard let path = options.file else { return nil }
        do throws(PlanFileFault) {
            plan = try PlanFile.read(path)
        } catch {
            throw FieldCheck.fault("plan.file", .invalid(error.text))
        }
        onBroken = options.onBroken
    }

    /// What is to become of a record.
    func inspect(_ draft: Draft, _ body: JSONText) -> Inspection {
        guard let event = PlannedEvent(draft.route, body) else { return .pass }
        let reasons = plan.reasons(against: event.name, event.data)
        guard !reasons.isEmpty else { return .pass }
        content.withLock { $0.found[draft.messageID] = reasons }
        switch onBroken {
        case .warn: return .pass
        case .drop: return .refuse(Self.text(reasons))
        case .tag:
            var tags = JSONObjectWriter()
            // They are text, which always can be written.
            let sentences = JSONText(elements: reasons.map { JSONText($0.sentence) })
            tags.append(Self.tag, sentences)
            return .change(event.body(body, adding: tags.finish()))
        }
    }

    /// Takes what was found about a call that is answered, and warns of what was not warned of before.
    ///
    /// - Returns: What is wrong with it, as a text; `nil` if nothing is.
    func report(_ id: MessageID, of call: String, by log: LevelledLog) -> String? {
        let (reasons, news) = content.withLock { content -> ([TrackingPlan.Reason], [TrackingPlan.Reason]) in
            guard let reasons = content.found.removeValue(forKey: id) else { return ([], []) }
            // A dropped call is reported by its outcome.
            guard onBroken != .drop else { return (reasons, []) }
            let news = reasons.filter { reason in
                content.known.count < Self.mostWarnings && content.known.insert("\(call) \(reason.rule)").inserted
            }
            return (reasons, news)
        }
        for reason in news { log.log(.warning, "\(call) breaks the plan: \(reason.sentence)") }
        return reasons.isEmpty ? nil : Self.text(reasons)
    }

    private static func text(_ reasons: [TrackingPlan.Reason]) -> String {
        reasons.map(\.sentence).joined(separator: " ")
    }
}

/// The event that a record carries, as far as a plan is about it.
private struct PlannedEvent {
    let name: String
    /// What the caller gave; `nil` if that is nothing.
    let data: JSONText?
    private let member: String

    /// Reads a record; `nil` if it is no `track`.
    init?(_ route: Route, _ body: JSONText) {
        let nameMember: String
        switch route {
        case .event: (nameMember, member) = ("event_name", "data")
        case .batch: (nameMember, member) = ("event", "properties")
        case .endpoint: (nameMember, member) = ("name", "properties")
        case .profile, .metadata, .location, .email, .link: return nil
        }
        let outline = body.outline(depth: 1)
        func value(_ name: String) -> JSONText? {
            // It was accepted with the body.
            outline.member(name, of: 0, in: body.bytes).flatMap { try? outline.text(at: $0, in: body.bytes) }
        }

        if route != .event, value("type")?.stringValue != "track" { return nil }
        guard let name = value(nameMember)?.stringValue else { return nil }
        self.name = name
        data = value(member).flatMap { $0.isNull ? nil : $0 }
    }

    /// The record with more members in its data.
    func body(_ body: JSONText, adding tags: JSONText) -> JSONText {
        let values = data?.kind == .object ? data : nil
        var change = JSONObjectWriter()
        change.append(member, values.map { JSONText.merging($0, tags) } ?? tags)
        return JSONText.merging(body, change.finish())
    }
}

/// Why a plan file cannot be used. The text follows the option's name.
struct PlanFileFault: Error {
    var text: String
}

/// Reads plan files.
enum PlanFile {
    /// A plan of thousands of events is smaller.
    private static let mostBytes = 16 << 20

    static func read(_ path: String) throws(PlanFileFault) -> TrackingPlan {
        let bytes = try bytes(path)
        let text: JSONText
        do throws(JSONSyntaxError) {
            text = try JSONText(validating: bytes, maxDepth: JSONText.maxDepthCeiling)
        } catch {
            throw PlanFileFault(text: "must be a plan, and \(path) is not JSON: \(error)")
        }
        do throws(TrackingPlan.Faults) {
            return try TrackingPlan(text)
        } catch {
            let more = error.sentences.count > 3 ? " And \(error.sentences.count - 3) more." : ""
            throw PlanFileFault(
                text: "must be a plan, and \(path) is none. \(error.sentences.prefix(3).joined(separator: " "))\(more)")
        }
    }

    private static func bytes(_ path: String) throws(PlanFileFault) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw fault(errno, path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault(errno, path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= mostBytes else {
                throw PlanFileFault(text: "must be a plan, and \(path) has more than 16 MiB")
            }
        }
    }

    private static func fault(_ code: Int32, _ path: String) -> PlanFileFault {
        PlanFileFault(text: "must be a file that can be read. \(path): \(unsafe String(cString: strerror(code)))")
    }
}

/// `read(2)`, whose name a method above has.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
