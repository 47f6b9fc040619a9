/// A call that a plan may say something about.
package enum PlanSubject: Hashable, Sendable {
    case event(String)
    case screen(String)
    /// All that is known of a user.
    case identify
    /// Some of what is known of a user. What it leaves out is not missing.
    case traits
    case group

    /// What a sentence calls it.
    package var label: String {
        switch self {
        case .event(let name): name
        case .screen(let name): "screen \(name)"
        case .identify: "identify"
        case .traits: "set"
        case .group: "group"
        }
    }

    /// What the paths of its members begin with: the member of the plan that has its schema.
    var root: String {
        switch self {
        case .event, .screen: "data"
        case .identify, .traits, .group: "traits"
        }
    }

    var isPartial: Bool { self == .traits }
}
