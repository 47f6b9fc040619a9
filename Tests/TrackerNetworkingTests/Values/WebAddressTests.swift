import Testing

@testable import TrackerNetworking

@Suite("WebAddress")
struct WebAddressTests {
    @Test(
        "is taken apart as the connection will be made",
        arguments: [
            ("https://API.Example.com/A?b#c", "https://api.example.com", "https://api.example.com/A"),
            ("https://api.example.com:443", "https://api.example.com", "https://api.example.com/"),
            ("HTTP://127.1:8080/x", "http://127.0.0.1:8080", "http://127.0.0.1:8080/x"),
            ("http://[::1]:80/x/../y", "http://[::1]", "http://[::1]/x/../y"),
            ("https://user:secret@h:1/p", "https://h:1", "https://h:1/p"),
        ])
    func parts(text: String, origin: String, display: String) throws {
        let address = try #require(WebAddress(reading: text))

        #expect(address.origin == origin)
        #expect(address.display == display)
        #expect(address.text == text)
        #expect(address.hasUserInfo == text.contains("@"))
    }

    @Test(
        "is nothing that libcurl does not read, or another protocol",
        arguments: [
            "", "a.example/x", "ftp://a.example/x", "https://", "https://a.example:0x1/",
            #"https://a.example\@b.example@c.example/"#, "https://a.example b.example/", "https://[::1/",
        ])
    func unreadable(text: String) {
        #expect(WebAddress(reading: text) == nil)
    }

    @Test(
        "allows a redirect within the origin and up to https on the same host, nothing else",
        arguments: [
            ("https://a.example/x", "https://a.example/y", true),
            ("https://a.example/x", "https://A.EXAMPLE:443/y", true),
            ("http://a.example/x", "https://a.example/x", true),
            ("http://a.example:8080/x", "https://a.example:8443/x", true),
            ("https://a.example/x", "http://a.example/x", false),
            ("https://a.example/x", "https://a.example:8443/x", false),
            ("http://a.example/x", "http://a.example:8080/x", false),
            ("https://a.example/x", "https://b.example/x", false),
            ("https://a.example/x", "https://a.example.b.example/x", false),
            ("https://a.example/x", "https://a.example@b.example/x", false),
            ("https://a.example/x", "https://user@a.example/x", false),
            ("https://a.example/x", "https://@a.example/x", false),
            ("https://a.example/x", "https://b.example?@a.example/x", false),
            ("https://a.example/x", "https://b.example#@a.example/x", false),
            ("https://a.example/x", #"https://b.example\@a.example/x"#, false),
            ("https://a.example/x", "https://a.example/x?u=https://b.example", true),
            ("https://a.example/x", "https://a.example./x", false),
            ("http://[fe80::1]/x", "http://[fe80::1%25eth0]/x", false),
        ])
    func redirects(from: String, to: String, isAllowed: Bool) throws {
        let source = try #require(WebAddress(reading: from))
        let target = try #require(WebAddress(reading: to))

        #expect(source.mayRedirect(to: target) == isAllowed)
    }
}
