package import TrackerJSON
import TrackerModels

/// What a test expects of the calls that were made.
package struct CallExpectation: Sendable {
    /// The name of an event, a screen or a page, else the method.
    package var name: String
    /// Values that the call has, among others. Objects are compared member by member, lists as a whole.
    package var properties: JSONObject
    /// What else the call has, such as `userId` or `client`.
    package var members: JSONObject
    /// How many such calls; `nil`: at least one.
    package var count: Int?

    package init(_ name: String, _ properties: JSONObject = [:], members: JSONObject = [:], count: Int? = nil) {
        self.name = name
        self.properties = properties
        self.members = members
        self.count = count
    }

    /// The calls that are as expected. One that was dropped is not, unless an `outcome` is expected.
    package func matches(in calls: [RecordedCall]) -> [RecordedCall] {
        calls.filter { $0.title == name && differences(from: $0).isEmpty }
    }

    /// What is wrong with the calls, in words for a person; `nil` if they are as expected.
    package func failure(in calls: [RecordedCall]) -> String? {
        let found = matches(in: calls)
        guard count.map({ found.count != $0 }) ?? found.isEmpty else { return nil }
        let lines = ["Expected \(wanted), and \(Self.came(found.count))."]
        if !found.isEmpty {
            return (lines + found.prefix(Self.mostLines).map { "  \($0)" }).joined(separator: "\n")
        }
        return (lines + nearest(in: calls)).joined(separator: "\n")
    }

    /// How many lines of one kind a failure has.
    private static let mostLines = 10

    private static func came(_ count: Int) -> String {
        switch count {
        case 0: "there was none"
        case 1: "there was 1"
        default: "there were \(count)"
        }
    }

    private var wanted: String {
        let number =
            switch count {
            case nil: "a call"
            case 0: "no call"
            case 1: "1 call"
            case let count?: "\(count) calls"
            }
        var text = "\(number) \(JSONValue.string(name))"
        if !properties.isEmpty { text += " with \(JSONValue.object(properties).shown)" }
        let others = members.filter { $0.key != "outcome" }.map { "\($0.key) \($0.value.shown)" }
        if !others.isEmpty { text += "\(properties.isEmpty ? " with" : " and") \(others.joined(separator: " and "))" }
        if let outcome = members["outcome"] { text += ", \(Self.words(for: outcome))" }
        return text
    }

    /// What became of a call, as the end of a sentence.
    private static func words(for outcome: JSONValue) -> String {
        let others = outcome.objectValue?.filter { $0.key != "status" && $0.key != "reason" } ?? []
        guard let reason = outcome["reason"]?.stringValue, others.isEmpty else {
            return "with outcome \(outcome.shown)"
        }
        return "dropped as \(reason)"
    }

    /// The call that is nearest to what was expected, with the members that differ; or what there was instead.
    private func nearest(in calls: [RecordedCall]) -> [String] {
        guard !calls.isEmpty else { return ["No call was made."] }
        let titles = calls.map(\.title)
        let title = titles.contains(name) ? name : SpellingSuggestion.nearest(to: name, among: titles)
        let near = calls.filter { $0.title == title }
        // Of those that are equally near the last: it is more often the one that is meant.
        let best = near.reversed().min { differences(from: $0).count < differences(from: $1).count }
        guard let best else {
            var known: [String] = []
            for title in titles where !known.contains(title) { known.append(title) }
            let names = known.prefix(Self.mostLines).map { JSONValue.string($0).description }
            return ["The calls were: \(names.joined(separator: ", "))."]
        }
        let misnamed = best.title == name ? [] : ["Its name is \(JSONValue.string(best.title))."]
        let lines = (misnamed + differences(from: best)).prefix(Self.mostLines)
        return ["The nearest was: \(best)"] + lines.map { "  \($0)" }
    }

    /// What of a call is not as expected, its name aside: a sentence each.
    private func differences(from call: RecordedCall) -> [String] {
        var found = Self.differences(.object(properties), .object(call.values), "properties")
        let json = call.json
        for (name, value) in members { found += Self.differences(value, json[name], name) }
        if members["outcome"] == nil, case .dropped(let reason)? = call.outcome {
            found.append("It was dropped: \(reason.rawValue).")
        }
        return found
    }

    private static func differences(_ wanted: JSONValue, _ given: JSONValue?, _ path: String) -> [String] {
        guard let given else { return ["\(path) is missing; expected \(wanted.shown)."] }
        switch (wanted, given) {
        case (.object(let wanted), .object(let given)):
            return wanted.flatMap { differences($0.1, given[$0.0], "\(path).\($0.0)") }
        case (.array(let wanted), .array(let given)) where wanted.count == given.count:
            return zip(wanted, given).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, "\(path)[\(index)]")
            }
        case (.number(let wanted), .number(let given)) where wanted.isSame(as: given): return []
        case _ where wanted == given: return []
        default: return ["\(path) is \(given.shown); expected \(wanted.shown)."]
        }
    }
}

extension JSONNumber {
    /// Whether both are one number, however they are spelled.
    fileprivate func isSame(as other: JSONNumber) -> Bool {
        text == other.text || isFinite && other.isFinite && normalized == other.normalized
    }

    /// The same text for equal numbers: the sign, the digits without zeros at either end, and the power of ten of the last.
    private var normalized: String {
        let parts = text.lowercased().split(separator: "e")
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
        let digits = mantissa.joined(separator: "").drop { $0 == "0" }
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        guard !digits.isEmpty else { return "0" }
        // A power beyond 32 bits has one usual spelling.
        guard let power = parts.count > 1 ? Int32(parts[1]) : 0 else { return text }
        let decimals = mantissa.count > 1 ? mantissa[1].count : 0
        return "\(text.hasPrefix("-") ? "-" : "")\(digits.dropLast(zeros))e\(Int(power) - decimals + zeros)"
    }
}

/// Calls that are not as a test expects them. The text says what was expected, which call came nearest, and what of it
/// differs.
public struct UnexpectedCalls: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let description: String
}
