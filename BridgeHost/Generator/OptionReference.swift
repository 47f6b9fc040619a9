import Bridge
import TrackerModels

/// The options of delivery as Markdown.
enum OptionReference {
    /// Every option with its default and its bounds.
    static var delivery: String {
        let rows = DeliveryOptions.all.map { option in
            let usual = option.value(in: DeliveryOptions()).map(option.range.text) ?? option.absence
            return "| `\(option.name)` | \(usual) | \(bounds(of: option)) | \(option.summary) |"
        }
        let plan = PlanOptions.options.map { option in
            let usual = option.value(in: PlanOptions()).map(option.range.text) ?? option.absence
            return "| `plan.\(option.name)` | \(usual) | \(bounds(of: option)) | \(option.summary) |"
        }
        return (["| Option | Default | Bounds | Meaning |", "|---|---|---|---|"] + rows + plan).joined(separator: "\n")
    }

    private static func bounds<Options>(of option: ConfigOption<Options>) -> String {
        if let lower = option.lowerOption { return "at least `\(lower)`" }
        switch option.range {
        case .integer(let most?): return "1 to \(most)"
        case .integer(nil), .bytes: return option.zero.map { "at least 1, or 0: \($0)" } ?? "at least 1"
        case .share: return "0 to 1"
        case .duration(let least, let most?):
            return "\(option.range.text(.duration(least))) to \(option.range.text(.duration(most)))"
        case .duration(let least, nil):
            let least = "at least \(option.range.text(.duration(least)))"
            return option.zero.map { "\(least), or 0: \($0)" } ?? least
        case .boolean, .text, .path: return ""
        case .headers: return "at most 16, 8 KiB together"
        case .words(let words): return words.map { "`\($0)`" }.joined(separator: ", ")
        }
    }
}
