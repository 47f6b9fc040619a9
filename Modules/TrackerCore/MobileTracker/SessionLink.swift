import TrackerModels
import TrackerNetworking

/// A URL that may carry a session in its query.
struct SessionLink {
    private static let name = "gt_session_id"

    private let url: WebURL
    private let beforeQuery: Substring
    private var parameters: [Substring]

    /// Takes a URL apart; any text is one.
    init(_ text: String) {
        url = WebURL(text)
        beforeQuery = text[..<url.path.endIndex]
        let query = url.query ?? ""
        // Before an accent an ampersand is another character than by itself.
        parameters =
            query.isEmpty
            ? []
            : query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    var text: String {
        String(beforeQuery) + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
            + (url.fragment.map { "#" + $0 } ?? "")
    }

    /// The session in the query; of several the last.
    var session: String? {
        get {
            parameters.last { $0.hasPrefix(Self.name + "=") }
                .flatMap { PercentEncoding.text(ofQueryValue: $0.dropFirst(Self.name.count + 1)) }
        }
        set {
            parameters.removeAll { $0 == Self.name || $0.hasPrefix(Self.name + "=") }
            if let newValue { parameters.append(Self.name + "=" + PercentEncoding.segment(newValue)) }
        }
    }

    /// Whether the host is `domain` or one of its subdomains; with no domain, every host is.
    ///
    /// A URL that browsers may read differently is not: it could give the session to another site.
    func leads(into domain: String?) -> Bool {
        guard let domain = domain?.lowercased() else { return true }
        let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
        guard !bare.isEmpty else { return true }
        // For browsers a backslash is a slash, also before an accent, with which it is one character.
        guard let scheme = url.scheme, Self.isScheme(scheme),
            url.userInfo?.utf8.contains(UInt8(ascii: "\\")) != true
        else { return false }
        let host = url.host.lowercased()
        guard host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_" }) else {
            return false
        }
        return host == bare || host.hasSuffix("." + bare)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
