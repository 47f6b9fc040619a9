import Bridge

/// The options that the configurations of all clients have, with the same meaning: a type of their own in each language.
enum ClientOptions {
    static let name = "ClientOptions"
    static let summary = "The options that every client takes."

    private static let configurations = ["TrackerConfig", "AnalyticsOptions", "BasicOptions"]

    static let members: [Schema.Member] = {
        let all = configurations.compactMap { NamedSchema.named($0)?.schema.inlineMembers }
        guard let first = all.first else { return [] }
        return first.filter { member in all.allSatisfy { $0.contains { isSame($0, member) } } }
    }()

    /// Splits the members of a type.
    ///
    /// - Returns: Those of its own, and whether it has all that are shared as well.
    static func split(_ own: [Schema.Member]) -> (own: [Schema.Member], hasShared: Bool) {
        guard members.allSatisfy({ shared in own.contains { isSame($0, shared) } }) else { return (own, false) }
        return (own.filter { member in !members.contains { isSame($0, member) } }, true)
    }

    private static func isSame(_ one: Schema.Member, _ other: Schema.Member) -> Bool {
        one.name == other.name && one.summary == other.summary && one.isRequired == other.isRequired
            && one.schema.typeScript() == other.schema.typeScript()
    }
}
