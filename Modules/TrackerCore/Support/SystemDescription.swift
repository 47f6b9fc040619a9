import TrackerModels
import TrackerPlatform

enum SystemDescription {
    /// `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`.
    static var osName: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "MacOS"
        #elseif os(Windows)
            "Windows"
        #elseif os(Android)
            "Android"
        #else
            "Linux"
        #endif
    }

    /// `Mobile`, `Tablet` or `Desktop`.
    static var deviceType: String {
        #if os(iOS) || os(Android)
            "Mobile"
        #else
            "Desktop"
        #endif
    }

    /// The system's release, such as `6.1.0-18-amd64`.
    static var osVersion: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "unknown" }
        return text(of: name.release)
    }

    static var hostName: String? {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return nil }
        let host = text(of: name.nodename)
        return host.isEmpty ? nil : host
    }

    /// The `User-Agent` of a request: `mobile-tracker/0.1.0 (Linux)`.
    static var userAgent: String { "\(ProductVersion.product)/\(ProductVersion.current) (\(osName))" }

    private static func text<Characters>(of characters: Characters) -> String {
        let bytes = unsafe withUnsafeBytes(of: characters) { unsafe Array($0.prefix { $0 != 0 }) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
