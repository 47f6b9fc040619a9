import Testing
import TrackerJSON

@Suite("JSONObject")
struct JSONObjectTests {
    @Test("keeps members in the order in which they were added")
    func order() {
        var object: JSONObject = ["z": 1, "a": 2]

        object["m"] = 3
        object["z"] = 4

        #expect(object.keys == ["z", "a", "m"])
        #expect(object.values == [4, 2, 3])
        #expect(object.map(\.key) == ["z", "a", "m"])
        #expect(object.count == 3)
        #expect(object[1].key == "a")
    }

    @Test("gives a repeated key its first place and its last value")
    func repeatedKeys() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]

        #expect(object == ["a": 3, "b": 2])
    }

    @Test("removes a member that is set to nil, and keeps one that is set to null")
    func removes() {
        var object: JSONObject = ["a": 1, "b": 2]

        object["a"] = nil
        object["b"] = .null
        object["c"] = nil

        #expect(object == ["b": nil])
        #expect(object["a"] == nil)
        #expect(object["b"] == .some(.null))
    }

    @Test("tells keys apart by their code points")
    func exactKeys() {
        var object: JSONObject = ["\u{e9}": 1]

        object["e\u{301}"] = 2

        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test("finds its members however many there are", arguments: [23, 24, 25, 26, 5000])
    func manyMembers(count: Int) {
        var object = JSONObject((0..<count).map { ("key \($0)", JSONValue($0)) })

        object["key 3"] = nil
        object["key 4"] = "four"
        object["new"] = "new"

        #expect(object.count == count)
        #expect(object["key 3"] == nil)
        #expect(object["key 4"] == "four")
        #expect(object["key \(count - 1)"]?.intValue == Int64(count - 1))
        #expect(object.last?.key == "new")
        #expect((0..<count).allSatisfy { $0 == 3 || object["key \($0)"] != nil })
    }

    @Test("merges another object, whose values win")
    func merges() {
        var object: JSONObject = ["a": 1, "b": 2]

        object.merge(["c": 3, "a": 4])

        #expect(object == ["a": 4, "b": 2, "c": 3])
        #expect(object.description == #"{"a":4,"b":2,"c":3}"#)
    }

    @Test("is read from the text of an object alone")
    func fromText() throws {
        #expect(JSONObject(try JSONText(validating: #"{"a":[1]}"#)) == ["a": [1]])
        #expect(JSONObject(try JSONText(validating: "[1]")) == nil)
        #expect(JSONObject(.emptyObject)?.isEmpty == true)
    }
}
