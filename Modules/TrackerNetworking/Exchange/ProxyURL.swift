import TrackerModels

/// A proxy's URL, whose password no message may show.
package struct ProxyURL {
    private let text: String
    private let url: WebURL

    /// Takes a proxy as it is configured.
    package init(_ text: String) {
        self.text = text
        url = WebURL(text, userInfo: .anywhere)
    }

    /// The proxy that a request goes through.
    ///
    /// - Parameters:
    ///   - setting: The proxy that is configured; `nil` for the environment's.
    ///   - isSecure: Whether the request is `https`.
    ///   - environment: Looks up a variable.
    /// - Returns: `nil` if no proxy is known.
    static func find(_ setting: String?, isSecure: Bool, environment: (String) -> String?) -> ProxyURL? {
        // The names that libcurl looks at. In capitals, HTTP_PROXY could be a header of a request to a CGI program.
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        let text = setting ?? names.lazy.compactMap(environment).first { !$0.isEmpty }
        return text.map(ProxyURL.init)
    }

    /// Its host and port; `nil` if it has none.
    var name: String? { url.authority.isEmpty ? nil : String(url.authority) }

    package var masked: String {
        guard let password else { return text }
        return "\(text[..<password.lowerBound])\(Secret(String(text[password])).masked)\(text[password.upperBound...])"
    }

    var hasPassword: Bool { password != nil }

    private var password: Range<String.Index>? {
        guard let userInfo = url.userInfo, let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        return text.utf8.index(after: colon)..<userInfo.endIndex
    }
}
