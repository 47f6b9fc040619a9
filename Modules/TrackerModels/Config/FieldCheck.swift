/// The checks that configurations share.
package enum FieldCheck {
    /// An error that names the field and says why.
    package static func fault(_ field: String, _ reason: OptionFault.Reason) -> TrackerError {
        TrackerError(OptionFault(field, reason))
    }

    /// What is wrong with a path that must lead from the root; `nil` if nothing is.
    package static func fault(ofPath path: String) -> OptionFault.Reason? {
        guard !path.isEmpty, !path.utf8.contains(0) else { return .invalid(.emptyText) }
        guard !path.utf8.starts(with: "/".utf8) else { return nil }
        return .invalid(
            path.utf8.starts(with: "~".utf8) ? .homePath : .relativePath, ["value": .string(String(path.prefix(200)))])
    }

    /// A duration with its unit, such as `30 s`.
    package static func text(_ duration: Duration) -> String {
        let (number, unit) =
            duration < .seconds(1) ? (duration / .milliseconds(1), "ms") : (duration / .seconds(1), "s")
        let text = String(number)
        return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) \(unit)"
    }
}
