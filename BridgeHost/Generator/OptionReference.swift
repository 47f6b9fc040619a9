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
        return (["| Option | Default | Bounds | Meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func bounds(of option: ConfigOption<DeliveryOptions>) -> String {
        if let lower = option.lowerOption { return "at least `\(lower)`" }
        switch option.range {
        case .integer(let least, let most?): return "\(least) to \(most)"
        case .integer(let least, nil), .bytes(let least): return "at least \(least)"
        case .share: return "0 to 1"
        case .duration(let least, let most?):
            return "\(option.range.text(.duration(least))) to \(option.range.text(.duration(most)))"
        case .duration(let least, nil): return "at least \(option.range.text(.duration(least)))"
        case .boolean, .text: return ""
        case .words(let words): return words.map { "`\($0)`" }.joined(separator: ", ")
        }
    }
}
