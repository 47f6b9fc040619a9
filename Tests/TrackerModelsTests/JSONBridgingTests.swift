import Foundation
import Testing
import TrackerModels

@Suite("JSONText of a dictionary of any values")
struct JSONBridgingTests {
    private final class Foreign {}
    private enum Choice: String { case one }

    private func keyPath(_ dictionary: [String: Any]) -> String? { error(dictionary)?.keyPath }

    private func error(_ dictionary: [String: Any]) -> JSONConversionError? {
        do throws(JSONConversionError) {
            _ = try JSONText(bridging: dictionary)
            return nil
        } catch {
            return error
        }
    }

    @Test("writes every kind of value that has a JSON form, sorted by key")
    func values() throws {
        let dictionary: [String: Any] = [
            "bool": true, "double": 1.0, "float": Float(0.1), "int": -1, "uint64": UInt64.max, "int8": Int8(3),
            "string": "a\"é", "substring": "xyz".dropFirst(), "character": Character("c"), "tenth": 0.1,
            "array": [1, "two", [3.5], [String: Any]()] as [Any], "ints": [1, 2], "nested": ["b": 2, "a": 1],
            "none": Int?.none as Any, "some": Int?.some(5) as Any, "optionals": [1, nil] as [Int?],
            "strings": ["a": "b"], "value": ["x": nil] as JSONValue, "object": ["y": 1.50] as JSONObject,
            "text": try JSONText(validating: "1e400"), "empty": [Any](), "cgfloat": CGFloat(2.5),
        ]

        let text = try JSONText(bridging: dictionary)

        let expected = [
            #""array":[1,"two",[3.5],{}]"#, #""bool":true"#, #""cgfloat":2.5"#, #""character":"c""#, #""double":1.0"#,
            #""empty":[]"#, #""float":0.1"#, #""int":-1"#, #""int8":3"#, #""ints":[1,2]"#, #""nested":{"a":1,"b":2}"#,
            #""none":null"#, #""object":{"y":1.5}"#, #""optionals":[1,null]"#, #""some":5"#, #""string":"a\"é""#,
            #""strings":{"a":"b"}"#, #""substring":"yz""#, #""tenth":0.1"#, #""text":1e400"#,
            #""uint64":18446744073709551615"#, #""value":{"x":null}"#,
        ]
        #expect(text.text == "{" + expected.joined(separator: ",") + "}")
        #expect(try JSONText(validating: text.bytes) == text)
    }

    @Test("unwraps optionals however deep, and never takes a truth value for a number")
    func optionals() throws {
        let twice: Int?? = .some(.some(1))
        let none: String?? = .some(.none)

        let text = try JSONText(bridging: ["a": twice as Any, "b": none as Any, "c": [true, false], "d": 1, "e": 0])

        #expect(text.text == #"{"a":1,"b":null,"c":[true,false],"d":1,"e":0}"#)
    }

    @Test("tells numbers from truth values in optional objects, too, and keeps their digits")
    func optionalObjects() throws {
        let one: NSNumber? = NSNumber(value: 1)
        let large: NSNumber? = NSNumber(value: UInt64.max)
        let yes: NSNumber? = NSNumber(value: true)

        let text = try JSONText(bridging: ["a": one as Any, "b": large as Any, "c": yes as Any, "d": [one, nil]])

        #expect(text.text == #"{"a":1,"b":18446744073709551615,"c":true,"d":[1,null]}"#)
    }

    @Test("writes Foundation's values: null, truth values, numbers, dates, URLs, UUIDs and decimals")
    func foundation() throws {
        let id = "6D92078A-8246-4BA4-AE5B-76104861E7DC"
        let dictionary: [String: Any] = [
            "a": NSNull(), "b": NSNumber(value: true), "c": NSNumber(value: 1), "d": NSNumber(value: 1.5),
            "e": NSNumber(value: UInt64.max), "f": NSNumber(value: false), "g": NSNumber(value: 0),
            "h": Date(timeIntervalSince1970: 1_700_000_000.123),
            "i": try #require(URL(string: "https://a.example/?b=%20")),
            "j": try #require(UUID(uuidString: id)), "k": try #require(Decimal(string: "12345678901234567890.12")),
            "l": NSString("text"), "m": NSArray(array: [NSNumber(value: 1), NSNull()]),
            "n": Date?.none as Any,
        ]

        let text = try JSONText(bridging: dictionary)

        let expected = [
            #""a":null"#, #""b":true"#, #""c":1"#, #""d":1.5"#, #""e":18446744073709551615"#, #""f":false"#,
            #""g":0"#, #""h":"2023-11-14T22:13:20.123Z""#, #""i":"https://a.example/?b=%20""#, #""j":"\#(id)""#,
            #""k":12345678901234567890.12"#, #""l":"text""#, #""m":[1,null]"#, #""n":null"#,
        ]
        #expect(text.text == "{" + expected.joined(separator: ",") + "}")
    }

    @Test("writes what JSONSerialization has read as it was")
    func serialization() throws {
        let source = #"{"a":true,"b":1,"c":1.5,"d":null,"e":"s","f":[1,{"x":false}],"g":0}"#
        let read = try #require(try JSONSerialization.jsonObject(with: Data(source.utf8)) as? [String: Any])

        #expect(try JSONText(bridging: read).text == source)
    }

    @Test("names the place of what JSON cannot hold, and why")
    func faults() {
        let items: [Any] = [1, ["price": 2.0], ["price": Double.nan]]

        #expect(error(["items": items]) == JSONConversionError(keyPath: "items[2].price", reason: .notFinite("NaN")))
        #expect(error(["a": -Double.infinity]) == JSONConversionError(keyPath: "a", reason: .notFinite("-Infinity")))
        #expect(error(["a": ["b": Float.nan]]) == JSONConversionError(keyPath: "a.b", reason: .notFinite("NaN")))
        #expect(
            error(["a": [[Foreign()]]]) == JSONConversionError(keyPath: "a[0][0]", reason: .unsupportedType("Foreign")))
        #expect(
            error(["at": Date.distantFuture.addingTimeInterval(1e300)])
                == JSONConversionError(keyPath: "at", reason: .unsupportedType("Date")))
        #expect(error(["a": Decimal.nan])?.reason == .notFinite("NaN"))
        #expect(error(["a": NSNumber(value: Double.nan)])?.reason == .notFinite("NaN"))
        #expect(error(["a": NSObject()])?.reason == .unsupportedType("NSObject"))
        #expect(error(["x": Choice.one]) == JSONConversionError(keyPath: "x", reason: .unsupportedType("Choice")))
        #expect(keyPath(["x": [1: 2]]) == "x")
        #expect(keyPath(["x": ()]) == "x")
        #expect(keyPath(["x": { 1 } as () -> Int]) == "x")
        #expect(keyPath(["x": (1, 2)]) == "x")
        #expect(keyPath(["x": Int.self]) == "x")
        #expect(keyPath(["x": Set([1])]) == "x")
        #expect(keyPath(["x": Data([1])]) == "x")
        #expect(keyPath(["x": Foreign?.some(Foreign()) as Any]) == "x")
    }

    @Test("describes a fault by place and type, never by value")
    func descriptions() {
        let error = JSONConversionError(keyPath: "items[2].price", reason: .unsupportedType("Data"))

        #expect(error.description == "'items[2].price' is of type Data, which JSON does not have.")
    }

    @Test("holds to 128 levels, whatever they are made of")
    func depth() throws {
        func nested(_ depth: Int, around value: Any) -> [String: Any] {
            var inner = value
            for level in 1..<depth { inner = level % 2 == 0 ? [inner] as [Any] : ["a": inner] as [String: Any] }
            return ["a": inner]
        }
        func array(_ depth: Int) throws -> JSONText {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return try JSONText(validating: Array(text.utf8), maxDepth: 200)
        }

        #expect(error(nested(128, around: 1)) == nil)
        #expect(error(nested(129, around: 1))?.reason == .tooDeep)
        #expect(error(nested(5000, around: 1))?.reason == .tooDeep)
        #expect(error(nested(127, around: [1] as JSONValue)) == nil)
        #expect(error(nested(128, around: [1] as JSONValue))?.reason == .tooDeep)
        #expect(error(["a": try array(127)]) == nil)
        #expect(error(["a": try array(128)]) == JSONConversionError(keyPath: "a", reason: .tooDeep))
    }
}
