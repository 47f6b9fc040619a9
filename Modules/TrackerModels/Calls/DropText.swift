/// The sentences about calls that were dropped, or failed, as templates for all languages.
///
/// `{call}` is the first of them, `{place}` the line that made it, `{why}` the sentence of its fault; `{failed}` is there if they
/// failed.
package enum DropText: String, CaseIterable, Sendable {
    case call
    /// There was a sentence about the first.
    case oneMore
    case more
    case several

    package var text: String {
        switch self {
        case .call: "{call} [failed{failed}|was dropped]: {reason}.[ {why}]{place}"
        case .oneMore: "1 more call [failed{failed}|was dropped]: {reason}.[ {why}]"
        case .more: "{count} more calls [failed{failed}|were dropped]: {reason}.[ {why}]"
        case .several: "{count} calls [failed{failed}|were dropped]: {reason}.[ {why}] The first was {call}{place}."
        }
    }
}
