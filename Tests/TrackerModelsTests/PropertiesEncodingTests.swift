import Foundation
import Testing
import TrackerModels

@Suite("Properties of Encodable values")
struct PropertiesEncodingTests {
    private struct Item: Encodable {
        var sku: String
        var price: Double
        var count: Int = 1
        var note: String?
    }

    private struct Order: Encodable {
        var id: UUID
        var at: Date
        var items: [Item]
        var page: URL?
        var total: Decimal
        var tags: [String: Int]
        var isGift = false
        var float: Float = 0.1
        var large = UInt64.max
        var data = Data([1, 2, 255])
    }

    private final class Child: Encodable {
        enum CodingKeys: CodingKey { case own, list, parent }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode("x", forKey: .own)
            var list = values.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encodeNil()
            var inner = list.nestedContainer(keyedBy: CodingKeys.self)
            try inner.encode(true, forKey: .own)
            var deep = list.nestedUnkeyedContainer()
            try deep.encode("deep")
            try Item(sku: "S", price: 1).encode(to: values.superEncoder())
            try values.encode("y", forKey: .own)
            #expect(list.count == 4)
        }
    }

    private struct Failing: Encodable {
        struct Fault: Error { var secret = "ada@example.com" }
        var inner = Inner()
        struct Inner: Encodable {
            func encode(to _: any Encoder) throws { throw Fault() }
        }
    }

    private struct Refusing: Encodable {
        var email = Email()
        struct Email: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    self,
                    EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "ada@example.com is no address"))
            }
        }
    }

    private struct Nothing: Encodable {
        func encode(to _: any Encoder) throws {}
    }

    private struct Deep: Encodable {
        var levels: Int
        enum CodingKeys: CodingKey { case next }
        func encode(to encoder: any Encoder) throws {
            guard levels > 0 else { return }
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(Deep(levels: levels - 1), forKey: .next)
        }
    }

    @Test("have the members in the type's order, with dates and the like as everywhere")
    func order() throws {
        let id = try #require(UUID(uuidString: "6F0C7E85-3C1D-4A52-9C0B-1F2E3D4C5B6A"))
        let order = Order(
            id: id, at: Date(timeIntervalSince1970: 1_764_239_400),
            items: [Item(sku: "A-1", price: 9.5), Item(sku: "é", price: 1, count: 2, note: "n")],
            page: URL(string: "https://shop.example.com/a?b=c"), total: try #require(Decimal(string: "19.90")),
            tags: ["b": 2, "a": 1])

        #expect(
            try Properties(encoding: order).json().text
                == [
                    #"{"id":"6F0C7E85-3C1D-4A52-9C0B-1F2E3D4C5B6A","at":"2025-11-27T10:30:00.000Z","#,
                    #""items":[{"sku":"A-1","price":9.5,"count":1},{"sku":"é","price":1.0,"count":2,"note":"n"}],"#,
                    #""page":"https://shop.example.com/a?b=c","total":19.9,"tags":{"a":1,"b":2},"isGift":false,"#,
                    #""float":0.1,"large":18446744073709551615,"data":"AQL/"}"#,
                ].joined())
    }

    @Test("know every kind of container; a key that comes twice keeps its place and takes its last value")
    func containers() throws {
        #expect(
            try Properties(encoding: Child()).json().text
                == #"{"own":"y","list":[1,null,{"own":true},["deep"]],"super":{"sku":"S","price":1.0,"count":1}}"#)
        #expect(try Properties(encoding: ["a": [1, nil]]).json().text == #"{"a":[1,null]}"#)
        #expect(try Properties(encoding: Nothing()).json().text == "{}")
        #expect(try Properties(encoding: [7: "x"]).json().text == #"{"7":"x"}"#)
    }

    @Test("name the way to what cannot be encoded, and say nothing of a value")
    func faults() throws {
        let items = ["items": [Item(sku: "A", price: 1), Item(sku: "B", price: .nan)]]
        #expect(throws: JSONConversionError(keyPath: "items[1].price", reason: .notFinite("NaN"))) {
            try Properties(encoding: items).json()
        }
        #expect(throws: JSONConversionError(keyPath: "a", reason: .notFinite("-Infinity"))) {
            try Properties(encoding: ["a": -Double.infinity]).json()
        }
        #expect(throws: JSONConversionError(keyPath: "", reason: .notAnObject(.array))) {
            try Properties(encoding: [1, 2]).json()
        }
        #expect(throws: JSONConversionError(keyPath: "", reason: .notAnObject(.string))) {
            try Properties(encoding: "x").json()
        }
        let failure = #expect(throws: JSONConversionError.self) { try Properties(encoding: Failing()).json() }
        #expect(failure == JSONConversionError(keyPath: "inner", reason: .encoding("Fault")))
        #expect(failure?.description == "'inner' cannot be encoded: Fault.")
        let refusal = #expect(throws: JSONConversionError.self) { try Properties(encoding: Refusing()).json() }
        #expect(refusal?.description == "'email' cannot be encoded: Email is not valid.")
    }

    @Test("nest at most 128 deep")
    func depth() throws {
        #expect(throws: Never.self) { try Properties(encoding: Deep(levels: 127)).json() }
        let error = #expect(throws: JSONConversionError.self) { try Properties(encoding: Deep(levels: 5000)).json() }
        #expect(error?.reason == .tooDeep)
    }
}
