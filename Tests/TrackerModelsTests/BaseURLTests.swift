import Testing
import TrackerModels

@Suite("BaseURL")
struct BaseURLTests {
    @Test(
        "keeps the address and writes it in one canonical way",
        arguments: [
            ("https://api.example.com", "https://api.example.com"),
            ("https://api.example.com/", "https://api.example.com"),
            ("HTTPS://API.Example.COM", "https://api.example.com"),
            ("https://api.example.com:443/", "https://api.example.com"),
            ("https://api.example.com:/base", "https://api.example.com/base"),
            ("https://api.example.com:0443", "https://api.example.com"),
            ("https://api.example.com:80", "https://api.example.com:80"),
            ("https://api.example.com:8443/Base/Path/", "https://api.example.com:8443/Base/Path"),
            ("https://api.example.com/base//", "https://api.example.com/base/"),
            ("https://api.example.com//", "https://api.example.com/"),
            ("https://api.example.com/a%2Fb/c@d:e", "https://api.example.com/a%2Fb/c@d:e"),
            ("https://api.example.com./v1", "https://api.example.com./v1"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://my_host", "https://my_host"),
            ("https://192.0.2.7", "https://192.0.2.7"),
            ("https://[2001:DB8::1]:443", "https://[2001:db8::1]"),
            ("https://[::ffff:192.0.2.1]", "https://[::ffff:192.0.2.1]"),
            ("https://a.1b", "https://a.1b"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://LocalHost:80/", "http://localhost"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("http://127.255.3.4:9/x", "http://127.255.3.4:9/x"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]"),
        ])
    func canonical(text: String, canonical: String) throws {
        let url = try BaseURL(text)

        #expect(url.description == canonical)
    }

    @Test("two spellings of one address are equal")
    func spellings() throws {
        #expect(try BaseURL("HTTPS://Api.example.com:443/v1/") == BaseURL("https://api.example.com/v1"))
        #expect(try BaseURL("https://api.example.com/v1") != BaseURL("https://api.example.com/V1"))
    }

    @Test(
        "refuses what is not an absolute http or https URL, with the reason",
        arguments: [
            ("", "not absolute"),
            ("api.example.com", "not absolute"),
            ("//api.example.com", "not absolute"),
            ("/v1", "not absolute"),
            ("https:api.example.com", "not absolute"),
            ("https:/api.example.com", "not absolute"),
            ("://api.example.com", "scheme"),
            ("ftp://api.example.com", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("javascript://x", "scheme"),
            ("x-https://api.example.com", "scheme"),
            (" https://api.example.com", "space"),
            ("https://api.example.com ", "space"),
            ("https://api.example.com/a b", "space"),
            ("https://api.example.com/\r\nHost: evil", "control character"),
            ("https://api.example.com\u{0}", "control character"),
            ("https://bücher.example", "ASCII"),
            ("https://api.example.com/ü", "ASCII"),
            ("https://ａpi.example.com", "ASCII"),
            ("https://", "no host"),
            ("https:///v1", "no host"),
            ("https://:443", "no host"),
            ("https://user@api.example.com", "user info"),
            ("https://user:secret@api.example.com", "user info"),
            ("https://@api.example.com", "user info"),
            ("https://api.example.com?a=b", "query"),
            ("https://api.example.com/?", "query"),
            ("https://api.example.com/#", "fragment"),
            ("https://api.example.com#x", "fragment"),
            ("https://api.example.com:99999", "port"),
            ("https://api.example.com:0", "port"),
            ("https://api.example.com:-1", "port"),
            ("https://api.example.com:+1", "port"),
            ("https://api.example.com:80:80", "port"),
            ("https://api.example.com:a", "port"),
            ("https://api..example.com", "not a name"),
            ("https://.example.com", "not a name"),
            ("https://..", "not a name"),
            ("https://.", "not a name"),
            ("https://api.example.com\\@evil.example", "user info"),
            ("https://api.example.com\\evil", "not a name"),
            ("https://%61pi.example.com", "not a name"),
            ("https://a,b", "not a name"),
            ("https://" + String(repeating: "a", count: 64) + ".example", "not a name"),
            ("https://" + Array(repeating: "abcdefg", count: 32).joined(separator: "."), "not a name"),
            ("https://256.1.1.1", "IPv4"),
            ("https://127.1", "IPv4"),
            ("https://0x7f000001", "IPv4"),
            ("https://2130706433", "IPv4"),
            ("https://127.0.0.01", "IPv4"),
            ("https://[::1", "bracket"),
            ("https://[::1]x", "port"),
            ("https://[]", "IPv6"),
            ("https://[1::2::3]", "IPv6"),
            ("https://[1:2:3:4:5:6:7]", "IPv6"),
            ("https://[1:2:3:4:5:6:7:8:9]", "IPv6"),
            ("https://[1:2:3:4:5:6:7:8::]", "IPv6"),
            ("https://[12345::]", "IPv6"),
            ("https://[g::]", "IPv6"),
            ("https://[:1]", "IPv6"),
            ("https://[fe80::1%25eth0]", "IPv6"),
            ("https://::1", "no host"),
            ("https://api.example.com/%zz", "percent-encoded"),
            ("https://api.example.com/%a", "percent-encoded"),
            ("https://api.example.com/<x>", "percent-encoded"),
            ("https://api.example.com/a|b", "percent-encoded"),
            ("https://api.example.com/" + String(repeating: "a", count: 16_361), "longer than 16384 bytes"),
        ])
    func refuses(text: String, reason: String) {
        let error = #expect(throws: OptionFault.Reason.self) { try BaseURL(text, allowInsecureHTTP: true) }

        let sentence = error?.sentence(naming: "apiUrl") ?? "no error"
        #expect(sentence.hasPrefix("'apiUrl' is not usable. The URL") && sentence.contains(reason), "\(sentence)")
    }

    @Test(
        "refuses plain http to any host that is not this machine by its spelling",
        arguments: [
            "http://api.example.com", "http://localhost.example.com", "http://127.0.0.1.example.com",
            "http://128.0.0.1", "http://[::2]", "http://[::ffff:127.0.0.1]", "http://localhost.", "http://0.0.0.0",
            "http://mylocalhost",
        ])
    func refusesInsecure(text: String) throws {
        let error = #expect(throws: OptionFault.Reason.self) { try BaseURL(text) }

        #expect(error == .invalid(.insecureURL))
        #expect(try BaseURL(text, allowInsecureHTTP: true).description == text)
    }

    @Test(
        "knows an address that ends in an endpoint's path",
        arguments: [
            ("https://a.example/v1/batch", "/v1/batch"), ("https://a.example/base/v1/batch/", "/v1/batch"),
            ("https://a.example/v1/batches", nil), ("https://a.example/v1/batch/eu", nil), ("https://a.example", nil),
        ] as [(String, String?)])
    func endsInEndpoint(text: String, path: String?) throws {
        let base = try BaseURL(text)

        if let path {
            let error = #expect(throws: OptionFault.Reason.self) {
                try base.checkThatItIsAbove(["/v2/x", "/v1/batch"])
            }
            #expect(error == .invalid(.urlEndpoint, ["path": .string(path)]))
        } else {
            try base.checkThatItIsAbove(["/v2/x", "/v1/batch"])
        }
    }

    @Test("never repeats a password in the reason")
    func hidesPassword() {
        let error = #expect(throws: OptionFault.Reason.self) { try BaseURL("https://user:hunter2@api.example.com") }

        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }

    @Test("puts an endpoint's path behind its own")
    func appends() throws {
        let url = try BaseURL("https://api.example.com:8443/base/")

        #expect(url.appending(path: "/v2/x") == "https://api.example.com:8443/base/v2/x")
        #expect(url.origin == "https://api.example.com:8443")
    }
}
