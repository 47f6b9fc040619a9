import TrackerModels
import TrackerStorage

/// Facts about the machine, for the context of events.
struct HostFacts: Hashable, Sendable {
    var osName: String
    var osVersion: String?
    var deviceName: String?
    var deviceType: String
    var manufacturer: String?
    var model: String?
    /// A language tag (BCP 47), such as `de-CH`.
    var locale: String?
    /// A name of the time zone database, such as `Europe/Zurich`.
    var timezone: String?

    /// Only the facts that need no look at the machine.
    static let none = HostFacts(osName: SystemDescription.osName, deviceType: SystemDescription.deviceType)

    static func collect() -> HostFacts {
        HostFacts(
            osName: SystemDescription.osName, osVersion: SystemDescription.osVersion,
            deviceName: SystemDescription.hostName, deviceType: SystemDescription.deviceType,
            manufacturer: SmallFile.line(of: "/sys/class/dmi/id/sys_vendor"),
            model: SmallFile.line(of: "/sys/class/dmi/id/product_name"),
            locale: locale(environment: StateFolder.environmentVariable),
            timezone: timezone(
                environment: StateFolder.environmentVariable,
                localtime: SmallFile.target(of: "/etc/localtime"), named: SmallFile.line(of: "/etc/timezone"))
        )
    }

    /// The locale that POSIX programs go by: `LC_ALL`, else `LC_MESSAGES`, else `LANG` (POSIX, 8.2).
    static func locale(environment: (String) -> String?) -> String? {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        guard let name = set?.prefix(while: { $0 != "." && $0 != "@" }), !["C", "POSIX"].contains(name) else {
            return nil
        }
        let tag = String(name.map { $0 == "_" ? "-" : $0 })
        let isTag = tag.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.utf8.count) && part.utf8.allSatisfy(\.isASCIIAlphanumeric)
        }
        return isTag ? tag : nil
    }

    /// The time zone that programs go by: `TZ`, else where `/etc/localtime` leads, else what `/etc/timezone` says.
    static func timezone(environment: (String) -> String?, localtime: String?, named: String?) -> String? {
        if let set = environment("TZ") {
            // "If the file name begins with a colon, the rest is the name of a file" (tzset(3)); empty means UTC.
            let name = set.hasPrefix(":") ? String(set.dropFirst()) : set
            return name.isEmpty ? "UTC" : zoneName(name)
        }
        return localtime.flatMap(zoneName) ?? named.flatMap(zoneName)
    }

    /// The zone of a path into the time zone database, or of a name; `nil` for rules such as `CET-1CEST`.
    private static func zoneName(_ text: String) -> String? {
        let path = text.place(of: "zoneinfo/").map { String(text[$0.upperBound...]) } ?? text
        let isName = path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_+-/".utf8.contains($0) }
        guard isName, !path.isEmpty, !path.hasPrefix("/") else { return nil }
        let isRule = !path.contains("/") && path.utf8.contains(where: \.isASCIIDigit)
        return isRule ? nil : path
    }
}
