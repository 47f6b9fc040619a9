/// A plan that the calls of a client are checked against: which events and screens there are, and what their data and
/// the traits of users and groups must be.
///
/// It is the file that the development collector takes with `--plan`, and both judge alike.
public struct PlanOptions: Hashable, Sendable {
    /// What becomes of a call that breaks the plan.
    public enum OnBroken: String, Hashable, Sendable, CaseIterable {
        /// It is queued, and a warning says so once for each event, screen or method and rule.
        case warn
        /// It is dropped as ``RefusalReason/plan``, and kept apart with what the server refuses. The user or the group that
        /// it names is the one of later calls all the same.
        case drop
        /// It is queued with a member `plan_violations`, a list of sentences, among its properties or traits. A warning
        /// says so, too.
        case tag
    }

    /// The path of the plan file, from the root. Without one nothing is checked.
    public var file: String?
    /// What becomes of a call that breaks the plan.
    public var onBroken: OnBroken

    /// Names a plan. What you leave out has its default.
    public init(file: String? = nil, onBroken: OnBroken = .warn) {
        self.file = file
        self.onBroken = onBroken
    }

    package static let options: [ConfigOption<PlanOptions>] = [
        .path("file", \.file, absence: "no plan", "The path of a plan file, from the root"),
        .choice(
            "onBroken", \.onBroken,
            "What becomes of a call that breaks the plan: a warning, a drop as `PLAN`, or a member `plan_violations`"),
    ]

    /// Checks every field.
    ///
    /// - Throws: `invalidConfiguration` naming the field as a part of `plan`.
    func validate() throws(TrackerError) {
        do throws(TrackerError) {
            for option in Self.options { try option.check(self) }
        } catch {
            throw error.fault.map { FieldCheck.fault("plan.\($0.option)", $0.reason) } ?? error
        }
    }
}
