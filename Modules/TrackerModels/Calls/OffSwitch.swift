/// What turned a client off.
package enum OffSwitch: CaseIterable, Hashable, Sendable {
    case option
    /// The environment, since the program did not say.
    case environment

    /// What is wrong with each call.
    package var word: FaultWord {
        switch self {
        case .option: .offByOption
        case .environment: .offByEnvironment
        }
    }

    /// Why each call is dropped.
    package var refusal: Refusal { Refusal(.disabled, word) }

    /// The switch and its position, for a sentence. It is the same in all languages.
    package var phrase: String {
        switch self {
        case .option: "enabled is false"
        case .environment: "MOBILE_TRACKER_ENABLED is false in the environment"
        }
    }
}
