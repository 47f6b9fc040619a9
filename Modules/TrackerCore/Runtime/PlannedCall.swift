import TrackerModels
import TrackerStorage

/// The call that a record carries, as far as a plan is about it.
struct PlannedCall {
    let subject: PlanSubject
    /// What the caller gave; `nil` if that is nothing.
    let data: JSONText?
    /// The member of the record that takes further data.
    private let member: String

    /// What a screen of a `MobileTracker` is in its record, and its members that are no properties of the screen.
    private static let view = (event: "VIEW_PAGE", name: "screen", own: ["screen", "url"])

    /// Reads a record; `nil` if plans are not about it.
    init?(_ route: Route, _ body: JSONText, under plan: TrackingPlan) {
        switch route {
        case .event: self.init(event: Members(body), under: plan)
        case .profile:
            guard plan.hasTraits else { return nil }
            self.init(profile: body)
        case .batch: self.init(Members(body), nameMember: "event")
        case .endpoint: self.init(Members(body), nameMember: "name")
        case .metadata, .location, .email, .link: return nil
        }
    }

    private init?(event: Members, under plan: TrackingPlan) {
        guard let name = event["event_name"]?.stringValue else { return nil }
        member = "data"
        let data = event[member]
        if name == Self.view.event, plan.hasScreens, !plan.names(event: name),
            let screen = data?[Self.view.name]?.stringValue
        {
            subject = .screen(screen)
            self.data = data?.removing(Self.view.own)
        } else {
            subject = .event(name)
            self.data = data
        }
    }

    private init?(_ event: Members, nameMember: String) {
        let name = event[nameMember]?.stringValue
        switch (event["type"]?.stringValue, name) {
        case ("track", let name?): subject = .event(name)
        case ("screen", let name?): subject = .screen(name)
        case ("identify", _): subject = .identify
        case ("group", _): subject = .group
        default: return nil
        }
        member = name == nil ? "traits" : "properties"
        data = event[member]
    }

    /// What is known of a user is at two places: what the backend knows by name, and the rest.
    private init?(profile: JSONText) {
        member = "extra"
        let others = profile["extra"].flatMap { $0.kind == .object ? $0 : nil }
        let traits = JSONText.merging([others ?? .emptyObject, profile.removing(["user_id", "extra"])])
        subject = profile["user_id"] == nil ? .traits : .identify
        // The collector cannot tell it from `setMetadata`, which is of no user.
        let keys = traits.members.map(\.key)
        guard keys != ["metadata"] else { return nil }
        data = traits
    }

    /// The record with more members in its data.
    func body(_ body: JSONText, adding tags: JSONText) -> JSONText {
        let values = body[member].flatMap { $0.kind == .object ? $0 : nil }
        var change = JSONObjectWriter()
        change.append(member, values.map { JSONText.merging($0, tags) } ?? tags)
        return JSONText.merging(body, change.finish())
    }

    /// The direct members of a record, each read when it is asked for.
    private struct Members {
        private let body: JSONText
        private let outline: JSONOutline

        init(_ body: JSONText) {
            self.body = body
            outline = body.outline(depth: 1)
        }

        /// - Returns: `nil` also for a null.
        subscript(_ name: String) -> JSONText? {
            // It was accepted with the body.
            let value = outline.member(name, of: 0, in: body.bytes).flatMap {
                try? outline.text(at: $0, in: body.bytes)
            }
            return value.flatMap { $0.isNull ? nil : $0 }
        }
    }
}
