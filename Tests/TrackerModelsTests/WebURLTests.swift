import TestSupport
import Testing
import TrackerModels

@Suite("WebURL")
struct WebURLTests {
    @Test(
        "is taken apart at its marks",
        arguments: [
            ("https://api.example.com", "https||api.example.com||||"),
            ("HTTPS://u:p@H:8443/a/b?c=?d#e#f?", "HTTPS|u:p|H|8443|/a/b|c=?d|e#f?"),
            ("https://a@b@c.example:/", "https|a@b|c.example||/||"),
            ("https://h/a@b:1", "https||h||/a@b:1||"),
            ("http://[::1]:80/", "http||[::1]|80|/||"),
            ("http://[::1", "http||[::1||||"),
            ("http://[::1]x:1", "http||[::1]x|1|||"),
            ("https://h:1:2", "https||h|1:2|||"),
            ("https://h?a#b", "https||h|||a|b"),
            ("https://h#a?b", "https||h||||a?b"),
            ("https://?@h", "https|||||@h|"),
            ("https:///p", "https||||/p||"),
            ("://h", "||h||||"),
            ("//h/p", "||||//h/p||"),
            ("h.example:3128/p", "||h.example|3128|/p||"),
            ("mailto:a@h", "|mailto:a|h||||"),
            ("https:h://i", "||https|h:|//i||"),
            ("/p?q", "||||/p|q|"),
            ("https://h/#\u{301}x", "https||h||/||\u{301}x"),
            ("", "||||||"),
        ])
    func parts(text: String, parts: String) {
        let url = WebURL(text)

        let found = [url.scheme, url.userInfo, url.host, url.port, url.path, url.query, url.fragment]
        #expect(found.map { String($0 ?? "") }.joined(separator: "|") == parts)
    }

    @Test("a part that is empty is told from one that is not there")
    func emptyParts() {
        let full = WebURL("://@h:?#")
        let bare = WebURL("h")

        #expect([full.scheme, full.userInfo, full.port, full.query, full.fragment] == ["", "", "", "", ""])
        #expect([bare.scheme, bare.userInfo, bare.port, bare.query, bare.fragment] == [nil, nil, nil, nil, nil])
    }

    @Test("a proxy's user info may hold any mark, and ends at the last @")
    func userInfoOfProxies() {
        let url = WebURL("http://u:a/b?c#d@e@h:1/p", userInfo: .anywhere)

        #expect(url.userInfo == "u:a/b?c#d@e")
        #expect(url.authority == "h:1")
        #expect(url.path == "/p")
    }

    @Test("its parts, put together again, are the text")
    func roundTrip() {
        var generator = SeededGenerator(seed: Seeds.base())
        let pieces = ["http", ":", "/", "//", "?", "#", "@", "[", "]", "h", "\u{301}", "é", "%", "\\", "1"]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...10, using: &generator))
                .compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            for end in [WebURL.UserInfoEnd.inAuthority, .anywhere] {
                let url = WebURL(text, userInfo: end)
                let before = (url.scheme.map { $0 + "://" } ?? "") + (url.userInfo.map { $0 + "@" } ?? "")
                let address = url.host + (url.port.map { ":" + $0 } ?? "")
                let after = url.path + (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")

                #expect(Array((before + address + after).utf8) == Array(text.utf8))
                #expect(address == url.authority)
            }
        }
    }
}
