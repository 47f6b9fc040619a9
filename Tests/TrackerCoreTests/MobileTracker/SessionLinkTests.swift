import Testing

@testable import TrackerCore

@Suite("A link that carries a session")
struct SessionLinkTests {
    @Test(
        "adds or replaces the session and keeps the rest",
        arguments: [
            ("https://a.example/p", "https://a.example/p?gt_session_id=S%201"),
            ("https://a.example/p?x=1#f?y", "https://a.example/p?x=1&gt_session_id=S%201#f?y"),
            ("https://a.example?gt_session_id=old&x=1", "https://a.example?x=1&gt_session_id=S%201"),
            ("https://a.example/?gt_session_id", "https://a.example/?gt_session_id=S%201"),
            ("https://a.example/?", "https://a.example/?gt_session_id=S%201"),
            ("https://a.example/?x&&y=?", "https://a.example/?x&&y=?&gt_session_id=S%201"),
            ("/p?x=1", "/p?x=1&gt_session_id=S%201"),
            ("https://a.example/#", "https://a.example/?gt_session_id=S%201#"),
        ])
    func carries(url: String, expected: String) {
        var link = SessionLink(url)
        link.session = "S 1"
        #expect(link.text == expected)
        #expect(SessionLink(expected).session == "S 1")
    }

    @Test(
        "reads the session it carries",
        arguments: [
            ("https://a.example/?x=1", nil), ("https://a.example/?gt_session_id=", ""),
            ("https://a.example/?gt_session_id=a%2Fb", "a/b"), ("https://a.example/#gt_session_id=a", nil),
            ("https://a.example/?gt_session_id=%FF", nil), ("", nil),
        ] as [(String, String?)])
    func reads(url: String, session: String?) {
        #expect(SessionLink(url).session == session)
    }

    @Test(
        "stays within the domain and its subdomains",
        arguments: [
            ("https://example.com/x", ".example.com", true), ("https://shop.example.com", "example.com", true),
            ("https://shop.EXAMPLE.com:8443/", "Example.com", true), ("https://badexample.com", "example.com", false),
            ("https://example.com.evil.org", "example.com", false), ("https://u@example.com/", "example.com", true),
            ("https://example.com@evil.org/", "example.com", false), ("mailto:a@example.com", "example.com", false),
            ("https://anything.org", nil, true), ("https://anything.org", ".", true),
            (#"https://evil.org\@example.com/"#, "example.com", false),
            ("https://evil.org\\\u{301}@example.com/", "example.com", false),
            (#"https://example.com\@evil.org/"#, "example.com", false),
            (#"https:\\evil.org\x://example.com/"#, "example.com", false),
            ("//evil.org/x://example.com/", "example.com", false), ("://example.com/", "example.com", false),
            ("https://evil.org\t.example.com/", "example.com", false),
            ("https://evil.org%2F.example.com/", "example.com", false), ("https:///example.com/", "example.com", false),
            ("https://a@b@example.com:1/", "example.com", true),
            ("https://example.com:1@evil.org", "example.com", false),
            ("https://bücher.example.com/", "example.com", true),
        ] as [(String, String?, Bool)])
    func staysWithin(url: String, domain: String?, isWithin: Bool) {
        #expect(SessionLink(url).leads(into: domain) == isWithin)
    }
}
