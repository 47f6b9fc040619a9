import Foundation
import Testing
import TrackerModels

@Suite("Properties")
struct PropertiesTests {
    @Test("are one object, whatever form they are given in")
    func forms() throws {
        let price = 149.99
        let literal: Properties = ["total": JSONValue(price), "items": [["sku": "A-1"], nil], "is_gift": true]
        let object: JSONObject = ["total": 149.99, "items": [["sku": "A-1"], nil], "is_gift": true]
        let text = #"{"total":149.99,"items":[{"sku":"A-1"},null],"is_gift":true}"#
        let items: [Any?] = [["sku": "A-1"], nil]

        #expect(try literal.json().text == text)
        #expect(Properties(object) == literal)
        #expect(try Properties(JSONText(validating: text)) == literal)
        #expect(
            try Properties(["total": price, "items": items, "is_gift": true] as [String: Any]).json().text
                == #"{"is_gift":true,"items":[{"sku":"A-1"},null],"total":149.99}"#)
    }

    @Test("name the way to what JSON cannot hold, in every form")
    func faults() throws {
        let tree: Properties = ["items": [["price": 1.0], ["price": JSONValue(Double.nan)]]]
        let dictionary = Properties(["items": [["price": 1.0], ["price": Double.nan]]] as [String: Any])
        let expected = JSONConversionError(keyPath: "items[1].price", reason: .notFinite("NaN"))

        #expect(throws: expected) { try tree.json() }
        #expect(throws: expected) { try dictionary.json() }
        #expect(throws: JSONConversionError(keyPath: "cart.items[1].price", reason: .notFinite("NaN"))) {
            try Properties(["cart": dictionary] as [String: Any]).json()
        }
        #expect(throws: JSONConversionError(keyPath: "", reason: .notAnObject(.array))) {
            try Properties(JSONText(validating: "[1]")).json()
        }
    }

    @Test("nest at most 128 deep, also as text that was validated with another bound")
    func depth() throws {
        func text(_ depth: Int) throws -> JSONText {
            let text = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            return try JSONText(validating: Array(text.utf8), maxDepth: 200)
        }

        #expect(try Properties(text(128)).json() == text(128))
        #expect(throws: JSONConversionError(keyPath: "", reason: .tooDeep)) { try Properties(text(129)).json() }
    }
}

@Suite("TrackerError")
struct TrackerErrorTests {
    @Test("matches its constants in a catch, by the code alone, typed or not")
    func patterns() throws {
        func typed() throws(TrackerError) { throw TrackerError(.invalidBrandId, "Brand ID is required") }
        func untyped() throws { try typed() }
        var matches = 0

        do { try typed() } catch TrackerError.invalidBrandId { matches += 1 } catch {}
        do { try untyped() } catch TrackerError.invalidBrandId { matches += 1 } catch {}
        do { try untyped() } catch TrackerError.storage { matches += 10 } catch {}

        #expect(matches == 2)
    }

    @Test("is described to Foundation by its message")
    func localized() {
        let error: any Error = TrackerError(.storage, "The folder /x cannot be made")

        #expect(error.localizedDescription == "The folder /x cannot be made")
    }
}
