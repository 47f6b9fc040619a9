import TrackerModels

/// What a proxy is called where it is told of: its host and port, without name and password.
enum ProxyName {
    /// The name of the proxy that a request goes through.
    ///
    /// - Parameters:
    ///   - setting: The proxy that is configured; `nil` for the environment's.
    ///   - isSecure: Whether the request is `https`.
    ///   - environment: Looks up a variable.
    /// - Returns: `nil` if no proxy is known.
    static func find(_ setting: String?, isSecure: Bool, environment: (String) -> String?) -> String? {
        if let setting { return read(setting) }
        // The names that libcurl looks at. In capitals, HTTP_PROXY could be a header of a request to a CGI program.
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        return names.lazy.compactMap(environment).first { !$0.isEmpty }.flatMap(read)
    }

    private static func read(_ text: String) -> String? {
        var rest = Substring(text)
        if let scheme = rest.place(of: "://") { rest = rest[scheme.upperBound...] }
        // A password may hold any character, so what counts is the last `@`.
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        let name = rest.prefix { !"/?#".contains($0) }
        return name.isEmpty ? nil : String(name)
    }
}
