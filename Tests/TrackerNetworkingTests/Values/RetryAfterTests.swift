import Testing
import TrackerModels
import TrackerNetworking

@Suite("RetryAfter")
struct RetryAfterTests {
    /// libcurl takes it for a date, in more milliseconds than there are numbers.
    private static let farAway = "Sun, 06 Nov 2147483647 08:49:37 GMT"
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let sunday = Timestamp(milliseconds: 784_111_777_000)

    @Test(
        "reads whole seconds, up to an hour",
        arguments: [
            ("0", Duration.zero), ("1", .seconds(1)), ("90", .seconds(90)), ("3600", .seconds(3600)),
            ("3601", .seconds(3600)), ("99999999999999999999999999", .seconds(3600)), ("007", .seconds(7)),
        ])
    func seconds(value: String, expected: Duration) {
        #expect(RetryAfter.wait(for: value, date: nil, now: sunday) == expected)
    }

    @Test(
        "reads a date in any of its three forms, relative to the answer's own",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ],
        [
            "Sun, 06 Nov 1994 08:49:07 GMT", "Sunday, 06-Nov-94 08:49:07 GMT", "Sun Nov  6 08:49:07 1994",
        ])
    func dates(value: String, date: String) {
        let wrongClock = Timestamp(milliseconds: 0)

        #expect(RetryAfter.wait(for: value, date: date, now: wrongClock) == .seconds(30))
    }

    @Test(
        "counts from the wall clock where the answer has no readable date", arguments: [nil, "", "yesterday", farAway])
    func wallClock(date: String?) {
        let now = sunday.advanced(by: .milliseconds(-1500))

        #expect(RetryAfter.wait(for: "Sun, 06 Nov 1994 08:49:37 GMT", date: date, now: now) == .milliseconds(1500))
    }

    @Test("is never negative and never above an hour")
    func bounded() {
        #expect(RetryAfter.wait(for: "Sat, 05 Nov 1994 08:49:37 GMT", date: nil, now: sunday) == .zero)
        #expect(RetryAfter.wait(for: "Mon, 07 Nov 1994 08:49:37 GMT", date: nil, now: sunday) == RetryAfter.cap)
        #expect(
            RetryAfter.wait(
                for: "Mon, 07 Nov 1994 08:49:37 GMT", date: nil, now: Timestamp(milliseconds: .min)) == RetryAfter.cap)
        #expect(
            RetryAfter.wait(
                for: "Mon, 07 Nov 1994 08:49:37 GMT", date: nil, now: Timestamp(milliseconds: .max)) == .zero)
    }

    @Test("knows the calendar: leap days, leap seconds, the turn of years")
    func calendar() {
        let cases = [
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800_000), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600_000),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 31 Dec 2099 23:59:59 GMT", 4_102_444_799_000),
        ]
        for (text, milliseconds) in cases {
            let before = Timestamp(milliseconds: Int64(milliseconds) - 1000)
            #expect(RetryAfter.wait(for: text, date: nil, now: before) == .seconds(1), "\(text)")
        }
    }

    @Test(
        "takes garbage for no wish at all",
        arguments: [
            nil, "", " ", farAway, "-1", "+5", "1.5", "1e3", "soon", "5 s", "0x10", "５",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Nov 1994", "GMT", ",",
        ] as [String?])
    func garbage(value: String?) {
        #expect(RetryAfter.wait(for: value, date: nil, now: sunday) == nil)
    }

    @Test("an answer gives its own headers")
    func response() {
        let response = HTTPResponse(status: 429, headers: ["retry-after": "12"])

        #expect(response.retryAfter(at: sunday) == .seconds(12))
        #expect(HTTPResponse(status: 429).retryAfter(at: sunday) == nil)
    }
}
