import TrackerModels
import TrackerPlatform
import TrackerStorage

/// The context of events: the same for all of them but for the advertising identifier.
enum AnalyticsContext {
    /// The part that holds for a whole run: facts about the machine and the application, and over them the client's
    /// options. Unknown facts are left out.
    static func collect(_ facts: HostFacts, app: AppInfo, merging own: JSONObject) -> JSONObject {
        var context: JSONObject = [
            "library": ["name": .string(ProductVersion.product), "version": .string(ProductVersion.current)]
        ]
        context["app"] = object([
            ("name", app.name), ("version", app.version), ("build", app.build), ("namespace", app.namespace),
        ])
        context["device"] = object([
            ("manufacturer", facts.manufacturer), ("model", facts.model), ("name", facts.deviceName),
            ("type", facts.deviceType),
        ])
        context["os"] = object([("name", facts.osName), ("version", facts.osVersion)])
        context["locale"] = facts.locale.map(JSONValue.string)
        context["timezone"] = facts.timezone.map(JSONValue.string)
        return merge(own, over: context)
    }

    /// The context of an event, with the advertising identifier in `device` if there is one when it is committed.
    ///
    /// If the options give a `device` that is not an object, it stays as it is, without the identifier.
    static func template(_ context: JSONObject) throws(JSONSyntaxError) -> BodyTemplate {
        if let device = context["device"], device.objectValue == nil {
            return BodyTemplate([.fixed(try JSONText(context))])
        }
        let otherwise = try JSONText(context)["device"]?["advertisingId"]
        var (before, after) = (JSONObject(), JSONObject())
        var device: JSONObject?
        for (key, value) in context {
            if key == "device", case .object(let own) = value {
                device = own
            } else if device == nil, key != "device" {
                before[key] = value
            } else if key != "device" {
                after[key] = value
            }
        }
        var own = device ?? [:]
        own["advertisingId"] = nil
        let part = BodyTemplate([
            .fixed(try JSONText(own)), .value("advertisingId", .advertisingID, otherwise: otherwise),
        ])
        return BodyTemplate([.fixed(try JSONText(before)), .object("device", part), .fixed(try JSONText(after))])
    }

    /// One object with the members of both; where both have an object, that is merged in turn.
    static func merge(_ top: JSONObject, over base: JSONObject) -> JSONObject {
        var merged = base
        for (key, value) in top {
            if case .object(let own) = value, case .object(let found)? = merged[key] {
                merged[key] = .object(merge(own, over: found))
            } else {
                merged[key] = value
            }
        }
        return merged
    }

    private static func object(_ members: [(String, String?)]) -> JSONValue? {
        let known = members.compactMap { key, value in value.map { (key, JSONValue.string($0)) } }
        return known.isEmpty ? nil : .object(JSONObject(known))
    }
}

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

/// Reads what systems keep in small files and links.
enum SmallFile {
    /// The first line of a file, without white space around it; `nil` if there is none or it is blank.
    static func line(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).trimmed
        return line.isEmpty ? nil : line
    }

    /// Where a symbolic link leads; `nil` if there is none.
    static func target(of path: String) -> String? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = unsafe buffer.withMemoryRebound(to: CChar.self) { target in
                guard let start = target.baseAddress else { return 0 }
                return max(0, unsafe readlink(path, start, target.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
