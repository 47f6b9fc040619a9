import Bridge
import JSONRPC

/// How what the bridge names is called in Python.
enum PythonNames {
    /// A group of methods, and the classes that have them.
    struct Group {
        /// What the names of the classes begin with.
        let name: String
        /// What the names of the host's methods begin with.
        let prefix: String
        let summary: String
        let rows: [BridgedMethod]
    }

    /// Every method of a client.
    static let groups = [
        Group(
            name: "Tracker", prefix: "", summary: "The methods of the session-based tracker.",
            rows: BridgedMethod.tracker + BridgedMethod.trackerState),
        Group(
            name: "Analytics", prefix: "analytics.", summary: "The methods of the analytics client.",
            rows: BridgedMethod.analytics),
        Group(
            name: "Basic", prefix: "basic.", summary: "The methods of the basic tracker.", rows: BridgedMethod.basic),
    ]

    /// A name in lower case with underscores: `eventTTLMs` is `event_ttl_ms`.
    static func snake(_ name: some StringProtocol) -> String {
        let letters = Array(name)
        var words = ""
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            if letter.isUppercase, index > 0, !letters[index - 1].isUppercase || next?.isLowercase == true {
                words += "_"
            }
            words += letter.lowercased()
        }
        return words
    }

    /// A sentence in which methods, params, options and values have their names in Python.
    static func sentence(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        return parts.enumerated().map { index, part in
            guard index % 2 == 1 else { return part }
            return values[part] ?? (known.contains(part) ? snake(part) : part)
        }.joined(separator: "`")
    }

    private static let values = ["null": "None", "true": "True", "false": "False"]

    private static let known: Set<String> = {
        let methods = BridgedMethod.all.map(\.method)
        let members = NamedSchema.all.flatMap { named in
            if case .object(let members, _) = named.schema { members.map(\.name) } else { [String]() }
        }
        return Set(methods.map(\.name) + methods.flatMap { $0.parameters.map(\.name) } + members)
    }()
}
