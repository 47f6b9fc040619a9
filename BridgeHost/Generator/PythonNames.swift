import Bridge
import JSONRPC

/// How what the bridge names is called in Python.
enum PythonNames {
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

    private static let values = [
        "null": "None", "true": "True", "false": "False", "beforeSend": "before_send",
        "hostArguments": "host_arguments", "hostPath": "host_path",
    ]

    private static let known: Set<String> = {
        let methods = BridgedMethod.all.map(\.method)
        let members = NamedSchema.all.flatMap { named in
            if case .object(let members, _) = named.schema { members.map(\.name) } else { [String]() }
        }
        return Set(methods.map(\.name) + methods.flatMap { $0.parameters.map(\.name) } + members)
    }()
}
