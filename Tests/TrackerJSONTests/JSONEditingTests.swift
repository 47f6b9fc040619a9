import TestSupport
import Testing
import TrackerJSON

@Suite("JSONText, edited")
struct JSONEditingTests {
    @Test(
        "gives a key the place where it first stood and the value that it last had",
        arguments: [
            ([], "{}"),
            (["{}"], "{}"),
            (["{}", " { } "], "{}"),
            ([#"{"a":1}"#], #"{"a":1}"#),
            ([#"{"a":1}"#, "{}", #"{"b":2}"#], #"{"a":1,"b":2}"#),
            ([#"{"a":1,"b":2}"#, #"{"c":3,"a":4}"#], #"{"a":4,"b":2,"c":3}"#),
            ([#"{"a":1,"a":2}"#], #"{"a":2}"#),
            ([#"{"a":1,"b":0,"a":2}"#, #"{"a":3,"a":[4]}"#], #"{"a":[4],"b":0}"#),
            ([#"{"a":1.0}"#, #"{"\u0061":1e400}"#], #"{"a":1e400}"#),
            ([#"{"\/":1}"#, #"{"/":2}"#], #"{"\/":2}"#),
            (["{\"\u{e9}\":1}", "{\"e\u{301}\":2}"], "{\"\u{e9}\":1,\"e\u{301}\":2}"),
            (["{\"\u{e9}\":1}", #"{"\u00e9":2,"\u0065\u0301":3}"#], "{\"\u{e9}\":2,\"\\u0065\\u0301\":3}"),
            ([#"{"":1}"#, #"{"":2}"#], #"{"":2}"#),
            ([#"{"x":{"a":1}}"#, #"{"x":{"b":2}}"#], #"{"x":{"b":2}}"#),
            (["[1]", #"{"a":1}"#, "null"], #"{"a":1}"#),
        ]
    )
    func merges(objects: [String], expected: String) throws {
        let texts = try objects.map { object throws(JSONSyntaxError) in try JSONText(validating: object) }

        #expect(JSONText.merging(texts).text == expected)
    }

    @Test("merges as a list of members does, key by key")
    func mergesGenerated() throws {
        let seed = Seeds.base()
        var random = RandomJSON(seed: seed)
        for _ in 0..<1500 {
            let objects = try (0..<Int.random(in: 0...4, using: &random.generator)).map { _ in
                try JSONText(validating: random.object())
            }

            let merged = JSONText.merging(objects)

            var expected = JSONObject()
            for object in objects { expected.merge(try #require(JSONObject(object))) }
            #expect(JSONObject(merged) == expected, "seed \(seed): \(objects)")
            #expect(try JSONText(validating: merged.bytes) == merged, "seed \(seed): \(objects)")
            #expect(JSONText.merging([merged]) == merged, "seed \(seed): \(objects)")
        }
    }

    @Test("merges two objects into a member as alone")
    func mergesIntoMember() throws {
        let seed = Seeds.base()
        var random = RandomJSON(seed: seed)
        for _ in 0..<500 {
            let (first, second) = (
                try JSONText(validating: random.object()), try JSONText(validating: random.object())
            )

            var writer = JSONObjectWriter()
            writer.append("before", "x")
            writer.append("merged", merging: first, second)
            writer.append("after", true)

            let expected = #"{"before":"x","merged":\#(JSONText.merging(first, second).text),"after":true}"#
            #expect(writer.finish().text == expected, "seed \(seed): \(first) \(second)")
        }
    }

    @Test("merges and looks up in objects of many members", arguments: [23, 24, 25, 26, 5000])
    func mergesMany(count: Int) throws {
        let keys = (0..<count).map { "key \($0)" }
        let first = try JSONText(JSONObject(keys.map { ($0, 1) }))
        let second = try JSONText(JSONObject(keys.reversed().map { ($0, 2) } + [("more", 3)]))

        let merged = JSONText.merging([first, second])

        #expect(merged == (try JSONText(JSONObject(keys.map { ($0, 2) } + [("more", 3)]))))
        #expect(merged.members.map(\.key) == keys + ["more"])
        #expect(merged.removing(Array(keys.dropFirst())).text == #"{"key 0":2,"more":3}"#)
    }

    @Test(
        "removes members by the characters of their keys",
        arguments: [
            (["a"], #"{"b" : [1, 2],"\u0063":3}"#),
            (["c", "x"], #"{"a":0,"b" : [1, 2]}"#),
            (["a", "b", "c"], "{}"),
            (["A", "", "\\u0063"], #"{"a":0, "b" : [1, 2], "\u0063":3}"#),
        ]
    )
    func removes(keys: [String], expected: String) throws {
        let object = try JSONText(validating: #"{"a":0, "b" : [1, 2], "\u0063":3}"#)

        let rest = object.removing(keys)

        #expect(JSONValue(rest) == JSONValue(try JSONText(validating: expected)))
        #expect(try JSONText(validating: rest.bytes) == rest)
    }

    @Test("removes every one of a repeated key, and tells composed from decomposed")
    func removesExactly() throws {
        let object = try JSONText(validating: "{\"\u{e9}\":1,\"e\u{301}\":2,\"\\u00e9\":3}")

        #expect(object.removing(["\u{e9}"]).text == "{\"e\u{301}\":2}")
        #expect(object.removing(["e\u{301}"]).text == "{\"\u{e9}\":3}")
    }

    @Test("looks up a key by its characters, and takes the last of a repeated one")
    func looksUp() throws {
        let object = try JSONText(validating: #"{"a":1,"n":{"a":2},"\u0061":3,"x\ny":4}"#)

        #expect(object.value(forKey: "a")?.text == "3")
        #expect(object["x\ny"]?.text == "4")
        #expect(object["n"]?["a"]?.text == "2")
        #expect(object["b"] == nil)
        #expect(try JSONText(validating: "[1]")["a"] == nil)
        #expect(object.members.map(\.key) == ["a", "n", "x\ny"])
        #expect(object.members.map(\.value.text) == ["3", #"{"a":2}"#, "4"])
        #expect(try JSONText(validating: "[{}]").members.isEmpty)
    }

    @Test("compares the keys of members by their bytes")
    func comparesMembers() throws {
        let composed = try JSONText(validating: "{\"\u{e9}\":1}").members
        let decomposed = try JSONText(validating: "{\"e\u{301}\":1}").members

        #expect(composed != decomposed)
        #expect(Set(composed + decomposed).count == 2)
    }

    @Test("takes arrays apart and puts them together")
    func arrays() throws {
        let array = try JSONText(validating: #"[1.0, [2] ,{"a":[3]},"x"]"#)

        #expect(array.elements.map(\.text) == ["1.0", "[2]", #"{"a":[3]}"#, #""x""#])
        #expect(JSONText(elements: array.elements).text == #"[1.0,[2],{"a":[3]},"x"]"#)
        #expect(JSONText(elements: []).text == "[]")
        #expect(try JSONText(validating: #"{"a":1}"#).elements.isEmpty)
    }

    @Test("writes an object member by member")
    func writes() throws {
        var writer = JSONObjectWriter()

        writer.append("brand_id", 925)
        writer.append("name\n", "a\"b\u{0}é")
        writer.append("data", try JSONText(validating: "{ }"))
        writer.append("price", try #require(JSONNumber("1e400")))
        writer.append("yes", true)
        writer.append(membersOf: try JSONText(validating: #"{ "x": 1 }"#))
        writer.append(membersOf: .emptyObject)
        writer.append(membersOf: .null)
        writer.appendNull("no")

        let expected =
            #"{"brand_id":925,"name\n":"a\"b\u0000é","data":{ },"price":1e400,"yes":true, "x": 1 ,"no":null}"#
        #expect(writer.finish().text == expected)
        var empty = JSONObjectWriter()
        #expect(empty.finish() == .emptyObject)
    }
}
