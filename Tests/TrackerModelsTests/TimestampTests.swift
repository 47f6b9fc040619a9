import Foundation
import Testing
import TrackerModels

@Suite("An instant as text")
struct TimestampTests {
    @Test(
        "is read with its zone, to the millisecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2025-11-27T10:30:00.000Z", 1_764_239_400_000),
            ("2025-11-27T11:30:00+01:00", 1_764_239_400_000), ("2025-11-27t05:00:00.0-0530", 1_764_239_400_000),
            ("2024-02-29T23:59:59.9999z", 1_709_251_199_999), ("2000-02-29T00:00:00,5Z", 951_782_400_500),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("1969-12-31T23:59:59.999Z", -1),
        ] as [(String, Int64)])
    func read(text: String, milliseconds: Int64) {
        #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "is refused if the calendar or the day does not have it, or the zone is missing",
        arguments: [
            "", "now", "2025-11-27", "2025-11-27T10:30:00", "2025-11-27 10:30:00Z", "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-04-31T00:00:00Z",
            "2025-11-00T00:00:00Z", "2025-11-27T24:00:00Z", "2025-11-27T10:60:00Z", "2025-11-27T10:30:60Z",
            "2025-11-27T10:30:00.Z", "2025-11-27T10:30:00+24:00", "2025-11-27T10:30:00+1:00", "2025-11-27T10:30:00ZZ",
            "+2025-11-27T10:30:00Z", "2025-11-27T10:30Z", "２025-11-27T10:30:00Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("reads what it writes, on every day of a leap cycle and at its ends")
    func roundTrip() {
        for day in Int64(-719_528)..<Int64(-719_528 + 146_200) {
            let instant = Timestamp(milliseconds: day * 86_400_000 + 45_296_789)
            #expect(Timestamp(instant.description) == instant)
        }
    }

    @Test("is a date's, and at the ends of the range the nearest")
    func date() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1_764_239_400.0005)).milliseconds == 1_764_239_400_001)
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
    }
}
