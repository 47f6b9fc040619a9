/// The formats that a plan may ask of a text.
enum PlanFormat: String, Sendable, CaseIterable {
    case dateTime = "date-time"
    case date
    case time
    case email
    case uri
    case uuid

    /// How a sentence calls it.
    var phrase: String {
        switch self {
        case .dateTime: "a time such as 2025-01-31T09:30:00Z"
        case .date: "a date such as 2025-01-31"
        case .time: "a time such as 09:30:00Z"
        case .email: "an email address"
        case .uri: "a URL"
        case .uuid: "a UUID"
        }
    }

    private var expression: String {
        let date = #"\d{4}-\d\d-\d\d"#
        let time = #"\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+\-]\d\d:\d\d)"#
        return switch self {
        case .dateTime: "^\(date)[Tt]\(time)$"
        case .date: "^\(date)$"
        case .time: "^\(time)$"
        case .email: #"^[^\s@]+@[^\s@]+$"#
        case .uri: #"^[A-Za-z][A-Za-z0-9+.\-]*:\S+$"#
        case .uuid: #"^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"#
        }
    }

    private static let patterns: [PlanFormat: PlanPattern] = {
        var patterns: [PlanFormat: PlanPattern] = [:]
        // All of them are right, as the tests show: a format without one would match everything.
        for format in allCases { patterns[format] = try? PlanPattern(format.expression) }
        return patterns
    }()

    func matches(_ text: String) -> Bool { Self.patterns[self]?.matches(text) ?? true }
}
