import TestSupport
import Testing
import TrackerJSON

@Suite("JSONNumber")
struct JSONNumberTests {
    @Test(
        "is a whole number by its value, not by its spelling",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0", 0), ("0e999999999999999999999", 0), ("0.000", 0), ("7", 7), ("-12", -12),
            ("1e3", 1000), ("1000.0", 1000), ("1.5e1", 15), ("1200e-2", 12), ("0.00012e5", 12), ("10E-1", 1),
            ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("922337203685477580700e-2", .max), ("0.9223372036854775807e19", .max), ("9223372036854775807.000", .max),
            ("1e18", 1_000_000_000_000_000_000), ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("1e19", nil), ("1.5", nil), ("1e-1", nil), ("0.1", nil), ("1e400", nil), ("1e-400", nil),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("1e9223372036854775807", nil),
            ("0.1e-9223372036854775808", nil), ("10e9223372036854775807", nil),
            ("123456789012345678901234567890", nil),
        ] as [(String, Int64?)]
    )
    func wholeNumbers(text: String, value: Int64?) throws {
        let number = try #require(JSONNumber(text))

        #expect(number.intValue == value)
        #expect(try JSONText(validating: text).intValue == value)
        #expect(number.text == text)
    }

    @Test(
        "is the nearest double, if there is one",
        arguments: [
            ("0.1", 0.1), ("1e400", nil), ("-1e400", nil), ("1e-400", 0), ("1.0", 1),
            ("9007199254740993", 9_007_199_254_740_992),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude),
        ] as [(String, Double?)]
    )
    func doubles(text: String, value: Double?) throws {
        #expect(try #require(JSONNumber(text)).doubleValue == value)
        #expect(try JSONText(validating: text).doubleValue == value)
    }

    @Test(
        "is never made of what is no number",
        arguments: ["", " 1", "1 ", "01", "+1", ".5", "1.", "NaN", "0x1", "\"1\"", "1\n", "true"])
    func refuses(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test("takes the shortest form that reads back as the same double")
    func shortestForm() throws {
        let seed = Seeds.base()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let double = Double(bitPattern: generator.next())
            let float = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))

            let ofDouble = JSONNumber(double)
            let ofFloat = JSONNumber(float)

            #expect((ofDouble == nil) == !double.isFinite, "seed \(seed)")
            #expect((ofFloat == nil) == !float.isFinite, "seed \(seed)")
            if let ofDouble {
                #expect(ofDouble.doubleValue?.bitPattern == double.bitPattern, "seed \(seed): \(double)")
                #expect(JSONNumber(ofDouble.text) == ofDouble, "seed \(seed): \(double)")
            }
            if let ofFloat {
                #expect(Float(ofFloat.text) == float && JSONNumber(ofFloat.text) == ofFloat, "seed \(seed)")
            }
        }
    }

    @Test("writes whole numbers of every size exactly")
    func integers() {
        #expect(JSONNumber(Int.min).text == "-9223372036854775808")
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
        #expect(JSONNumber(Int8(-1)).text == "-1")
        #expect(JSONNumber(Int128.max).text == "170141183460469231731687303715884105727")
        #expect(JSONNumber(1.0)?.description == "1.0")
    }

    @Test("reads other values as what they are")
    func texts() throws {
        #expect(try JSONText(validating: "true").boolValue == true)
        #expect(try JSONText(validating: "false").boolValue == false)
        #expect(try JSONText(validating: "1").boolValue == nil)
        #expect(try JSONText(validating: "null").isNull)
        #expect(try JSONText(validating: #""1""#).intValue == nil)
        #expect(try JSONText(validating: #""1""#).doubleValue == nil)
    }
}
