import Testing
import TrackerJSON

@Suite("JSONValue")
struct JSONValueTests {
    @Test("is written as a literal of any kind, nested in any way")
    func literals() throws {
        let name = "Ada"

        let object: JSONObject = ["a": 1, "b": [1, nil, ["c": 2.5]], "d": true, "e": "x", "hello": "Hello, \(name)"]

        #expect(try JSONText(object).text == #"{"a":1,"b":[1,null,{"c":2.5}],"d":true,"e":"x","hello":"Hello, Ada"}"#)
    }

    @Test("writes a literal number in its shortest exact form")
    func literalNumbers() throws {
        let value: JSONValue = [0, -1, 9_007_199_254_740_993, -0.0, 1.0, 0.1, 1e16, 2.5e-308, 1.7976931348623157e308]

        #expect(
            try JSONText(value).text == "[0,-1,9007199254740993,-0.0,1.0,0.1,1e+16,2.5e-308,1.7976931348623157e+308]")
    }

    @Test("is made of Swift values")
    func conversions() throws {
        let total = 149.99
        let count = UInt64.max
        let label: Substring = "label".dropFirst()

        #expect(JSONValue(total) == 149.99)
        #expect(JSONValue(Float(0.1)) == 0.1)
        #expect(try JSONText(JSONValue(count)).text == "18446744073709551615")
        #expect(JSONValue(label) == "abel")
        #expect(JSONValue(total > 1) == true)
        #expect(JSONValue([JSONValue(count)]) == .array([.number(JSONNumber(count))]))
        #expect(JSONValue(["a": nil] as JSONObject) == ["a": nil])
        #expect(throws: JSONSyntaxError(.invalidNumber, at: 1)) { try JSONText([JSONValue(Double.nan)] as JSONValue) }
        #expect(JSONValue(-Double.infinity).doubleValue == nil)
        #expect(throws: JSONSyntaxError(.invalidNumber, at: 0)) { try JSONText(JSONValue(-Float.infinity)) }
        #expect(JSONValue(Double.infinity).doubleValue == nil)
        #expect(JSONValue(Double.nan).intValue == nil)
        #expect(JSONValue(floatLiteral: .infinity) == JSONValue(Double.infinity))
    }

    @Test("keeps the spelling of numbers and the order of members on the way through")
    func lossless() throws {
        let text = #"{"z":1.0,"a":[1e400,-0,123456789012345678901234567890,0.10],"m":{"\u00e9":null}}"#

        let value = JSONValue(try JSONText(validating: text))

        #expect(try JSONText(value).text == text.replacing(#"\u00e9"#, with: "é"))
        #expect(value.description == text.replacing(#"\u00e9"#, with: "é"))
    }

    @Test("reads texts as deep as there can be")
    func deepTexts() throws {
        let depth = JSONText.maxDepthCeiling
        let text = String(repeating: #"{"a":["#, count: depth / 2) + String(repeating: "]}", count: depth / 2)

        var value = JSONValue(try JSONText(validating: Array(text.utf8), maxDepth: depth))

        var levels = 0
        while let inner = value["a"]?[0] { (value, levels) = (inner, levels + 2) }
        #expect(levels == depth - 2)
    }

    @Test("refuses to write more than 128 levels")
    func deepTrees() throws {
        func nested(_ depth: Int) -> JSONValue {
            (0..<depth).reduce(0) { value, level in level % 2 == 0 ? [value] : ["a": value] }
        }

        #expect(throws: Never.self) { try JSONText(nested(128)) }
        #expect(throws: JSONSyntaxError.self) { try JSONText(nested(129)) }
        #expect(throws: JSONSyntaxError.self) { try JSONText(["a": nested(128)] as JSONObject) }
        #expect(nested(200).description == "(nested deeper than 128)")
    }

    @Test("compares strings by code points, not by how they look")
    func exactStrings() {
        let composed: JSONValue = "\u{e9}"
        let decomposed: JSONValue = "e\u{301}"
        let angstroms: Set<JSONValue> = ["\u{212b}", "A\u{30a}", "\u{c5}"]

        #expect(composed != decomposed)
        #expect(angstroms.count == 3)
        #expect(Set([composed, decomposed, "\u{e9}"]).count == 2)
    }

    @Test("compares numbers by spelling and objects by order")
    func exactEquality() {
        let one: JSONValue = ["a": 1, "b": 2]
        let other: JSONValue = ["b": 2, "a": 1]

        #expect(one != other)
        #expect(one == ["a": 1, "b": 2])
        #expect(one.hashValue == (["a": 1, "b": 2] as JSONValue).hashValue)
        #expect(JSONValue.number(JSONNumber(1)) != 1.0)
        #expect(JSONValue.null != false)
    }

    @Test("is looked into by kind, key and index")
    func access() throws {
        let value: JSONValue = ["s": "x", "i": 7, "d": 2.5, "b": false, "n": nil, "a": [1, 2]]

        #expect(value["s"]?.stringValue == "x")
        #expect(value["i"]?.intValue == 7)
        #expect(value["i"]?.doubleValue == 7)
        #expect(value["d"]?.doubleValue == 2.5)
        #expect(value["d"]?.intValue == nil)
        #expect(value["b"]?.boolValue == false)
        #expect(value["n"]?.isNull == true)
        #expect(value["a"]?[1] == 2)
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?.arrayValue?.count == 2)
        #expect(value.objectValue?.count == 6)
        #expect(value["missing"] == nil)
        #expect(value[0] == nil)
        #expect(value.kind == .object && value["a"]?.kind == .array && value["n"]?.kind == .null)
        #expect(value.stringValue == nil && value.boolValue == nil && value.intValue == nil && value.arrayValue == nil)
    }
}
