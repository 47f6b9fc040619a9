import Foundation
import TestSupport
import Testing

@testable import TrackerModels

@Suite("The cases of plans that the collector and the host share")
struct PlanCaseTests {
    /// A schema, with values that keep to it and values that break it.
    struct Case: Sendable, CustomTestStringConvertible {
        let schema: JSONValue
        let good: [JSONValue]
        let bad: [JSONValue]
        let definitions: JSONValue?

        var testDescription: String { schema.description }
    }

    private static let table: JSONValue = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Plans/cases.json")
        guard let data = try? Data(contentsOf: path), let text = try? JSONText(validating: Array(data)) else {
            return .null
        }
        return JSONValue(text)
    }()

    static let cases = (table["schemas"]?.arrayValue ?? []).map { value in
        Case(
            schema: value["schema"] ?? .null, good: value["good"]?.arrayValue ?? [],
            bad: value["bad"]?.arrayValue ?? [], definitions: value["$defs"])
    }

    static let faulty = table["faulty"]?.arrayValue ?? []

    @Test("judge values as the collector does", arguments: cases)
    func judge(_ example: Case) throws {
        var plan: JSONObject = ["events": ["A": ["data": ["properties": ["v": example.schema]]]]]
        plan["$defs"] = example.definitions
        let judge = try TrackingPlan(try JSONText(plan))
        let isKept = { (value: JSONValue) throws in
            let data: JSONValue = ["v": value]
            // The quick check and the one that has a tree agree.
            let isKept = judge.reasons(against: "A", data).isEmpty
            #expect(judge.reasons(against: "A", try JSONText(data)).isEmpty == isKept)
            return isKept
        }

        #expect(try example.good.filter { try !isKept($0) } == [])
        #expect(try example.bad.filter(isKept) == [])
    }

    @Test("refuse plans that cannot be used", arguments: faulty)
    func refuse(_ plan: JSONValue) throws {
        let error = #expect(throws: TrackingPlan.Faults.self) { try TrackingPlan(try JSONText(plan)) }
        #expect(error?.sentences.isEmpty == false)
    }

    @Test("are all there")
    func all() {
        #expect(Self.cases.count > 80 && Self.faulty.count > 65)
    }
}

@Suite("A plan")
struct TrackingPlanTests {
    private func reasons(_ plan: JSONObject, _ name: String, _ data: JSONValue?) throws -> [String] {
        try TrackingPlan(try JSONText(plan)).reasons(against: name, data).map(\.sentence)
    }

    @Test("says in words what breaks it, with the path of the member")
    func sentences() throws {
        let data: JSONValue = [
            "type": "object",
            "properties": [
                "total": ["type": "number", "minimum": 0], "currency": ["enum": ["EUR", "USD"]],
                "items": ["items": ["required": ["sku"]]],
            ],
            "required": ["total"], "additionalProperties": false,
        ]
        let plan: JSONObject = ["events": ["PURCHASE": ["data": data]]]

        #expect(try reasons(plan, "PURCHASE", ["total": 1]) == [])
        #expect(try reasons(plan, "PURCHASE", nil) == ["data.total is missing."])
        #expect(
            try reasons(plan, "PURCHASE", ["total": -1, "currency": "EURO", "items": [["sku": "A"], [:]], "totl": 1])
                == [
                    "data.total is -1; it must be 0 or more.",
                    #"data.currency is "EURO"; it must be one of "EUR", "USD" (did you mean "EUR"?)."#,
                    "data.items[1].sku is missing.", "data.totl is not in the plan.",
                ])
        #expect(try reasons(plan, "PURCHAS", [:]) == ["The event is not in the plan; did you mean PURCHASE?"])
        #expect(try reasons(plan.merged(["others": "allow"]), "LOGOUT", [:]) == [])
    }

    @Test("cannot judge a text for which its pattern takes too long, and says so")
    func slowPattern() throws {
        let pattern = "(?:a?){4000}b"
        let plan: JSONObject = ["events": ["A": ["data": ["properties": ["v": ["pattern": .string(pattern)]]]]]]

        #expect(try reasons(plan, "A", ["v": "aab"]) == [])
        #expect(
            try reasons(plan, "A", ["v": .string(String(repeating: "a", count: 1_000))]) == [
                "data.v cannot be judged: \(pattern) takes too long; write it with fewer repetitions."
            ])
    }

    @Test("judges screens, users and groups if it is about them")
    func subjects() throws {
        let plan = try TrackingPlan(
            try JSONText([
                "events": [:], "screens": ["Home": ["data": ["properties": ["tab": ["type": "integer"]]]]],
                "identify": ["traits": ["properties": ["name": ["type": "string"]], "required": ["name", "email"]]],
                "group": ["traits": ["required": ["seats"]]],
            ]))
        let silent = try TrackingPlan(try JSONText(["events": [:]]))
        let reasons = { (subject: PlanSubject, data: JSONValue?) throws in
            let found = plan.reasons(against: subject, data).map(\.sentence)
            // The quick check and the one that has a tree agree.
            let text = try data.map { try JSONText($0) }
            #expect(plan.reasons(against: subject, text).map(\.sentence) == found)
            return found
        }

        #expect(try reasons(.screen("Home"), ["tab": 1]) == [])
        #expect(try reasons(.screen("Home"), ["tab": "x"]) == [#"data.tab is "x"; it must be a whole number."#])
        #expect(try reasons(.screen("Hom"), nil) == ["The screen is not in the plan; did you mean Home?"])
        #expect(
            try reasons(.identify, ["name": 1]) == [
                "traits.name is 1; it must be a string.", "traits.email is missing.",
            ])
        #expect(try reasons(.traits, ["name": 1]) == ["traits.name is 1; it must be a string."])
        #expect(try reasons(.traits, nil) == [])
        #expect(try reasons(.group, nil) == ["traits.seats is missing."])
        #expect(plan.hasScreens && !silent.hasScreens)
        for subject in [PlanSubject.screen("Home"), .identify, .traits, .group] {
            #expect(silent.reasons(against: subject, ["name": 1] as JSONValue).isEmpty)
        }
    }

    @Test("asks a part of the traits only for what is not at their top")
    func partialTraits() throws {
        let plan = try TrackingPlan(
            try JSONText([
                "events": [:], "$defs": ["user": ["required": ["name"]]],
                "identify": [
                    "traits": [
                        "$ref": "#/$defs/user", "allOf": [["required": ["email"]]],
                        "properties": ["address": ["required": ["city"]]],
                    ]
                ],
            ]))
        #expect(
            plan.reasons(against: .traits, ["address": [:]] as JSONValue).map(\.sentence) == [
                "traits.address.city is missing."
            ])
    }

    @Test("has one rule for each member, whatever its value")
    func rules() throws {
        let plan = try TrackingPlan(
            try JSONText([
                "events": ["A": ["data": ["properties": ["n": ["minimum": 0], "l": ["items": ["type": "null"]]]]]]
            ]))
        let rules = { (data: JSONValue) in plan.reasons(against: "A", data).map(\.rule) }

        #expect(rules(["n": -1]) == rules(["n": -2]))
        #expect(rules(["n": -1]) != rules(["l": [1]]))
        #expect(rules(["l": [1]]) == rules(["l": [nil, 1]]))
    }

    @Test("takes no time or stack that grows out of bounds")
    func bounds() throws {
        let definitions = JSONObject(
            (0..<25).map {
                (
                    "d\($0)",
                    [
                        "properties": [
                            "a": ["$ref": .string("#/$defs/d\($0 + 1)")], "b": ["$ref": .string("#/$defs/d\($0 + 1)")],
                        ]
                    ]
                )
            }
                + [("d25", ["type": "string"])])
        let doubling: JSONObject = ["$defs": .object(definitions), "events": ["A": ["data": ["$ref": "#/$defs/d0"]]]]
        #expect(throws: TrackingPlan.Faults.self) { try TrackingPlan(try JSONText(doubling)) }

        let chain = JSONObject(
            (0..<5_000).map { ("d\($0)", ["anyOf": [["$ref": .string("#/$defs/d\($0 + 1)")]]]) } + [("d5000", true)])
        let long: JSONObject = ["$defs": .object(chain), "events": ["A": ["data": ["$ref": "#/$defs/d0"]]]]
        #expect(throws: TrackingPlan.Faults.self) { try TrackingPlan(try JSONText(long)) }

        let all = JSONValue.array(Array(repeating: ["properties": ["a": ["$ref": "#/$defs/d"]]], count: 8))
        let wide: JSONObject = ["$defs": ["d": ["allOf": all]], "events": ["A": ["data": ["$ref": "#/$defs/d"]]]]
        var value: JSONValue = 1
        for _ in 0..<24 { value = ["a": value] }
        #expect(try reasons(wide, "A", value).first?.contains("cannot be judged") == true)
        // So it is for the text of a call, which is checked quickly first.
        let ofText = try TrackingPlan(try JSONText(wide)).reasons(against: "A", try JSONText(value))
        #expect(ofText.first?.sentence.contains("cannot be judged") == true)

        // Trying each way to share the text would take longer than the world lasts.
        let slow: JSONObject = ["events": ["A": ["data": ["properties": ["a": ["pattern": "^(a+)+$"]]]]]]
        #expect(try reasons(slow, "A", ["a": .string(String(repeating: "a", count: 10_000) + "!")]).count == 1)
    }
}

extension JSONObject {
    fileprivate func merged(_ other: JSONObject) -> JSONObject {
        var object = self
        object.merge(other)
        return object
    }
}

extension JSONValue {
    fileprivate subscript(key: String) -> JSONValue? { objectValue?[key] }
}
