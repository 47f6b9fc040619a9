import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What events tell of their dependencies")
struct HostFactsTests {
    @Test(
        "the locale is the one POSIX programs go by, as a language tag",
        arguments: [
            (["LANG": "de_CH.UTF-8"], "de-CH"), (["LANG": "de_CH.UTF-8", "LC_ALL": "en_GB"], "en-GB"),
            (["LANG": "de_CH", "LC_ALL": "", "LC_MESSAGES": "fr_FR@euro"], "fr-FR"), (["LANG": "ja"], "ja"),
            (["LANG": "C.UTF-8"], nil), (["LANG": "POSIX"], nil), (["LANG": ""], nil), ([:], nil),
            (["LANG": "no way"], nil),
        ] as [([String: String], String?)])
    func locale(environment: [String: String], expected: String?) {
        #expect(HostFacts.locale { environment[$0] } == expected)
    }

    @Test(
        "the time zone is TZ's, else where /etc/localtime leads, else what /etc/timezone says",
        arguments: [
            ("Europe/Zurich", "/usr/share/zoneinfo/Asia/Tokyo", nil, "Europe/Zurich"),
            (":America/New_York", nil, nil, "America/New_York"), ("", "/usr/share/zoneinfo/Asia/Tokyo", nil, "UTC"),
            (":/usr/share/zoneinfo/Africa/Cairo", nil, nil, "Africa/Cairo"), ("CET-1CEST", nil, nil, nil),
            ("Etc/GMT+5", nil, nil, "Etc/GMT+5"), ("UTC", nil, nil, "UTC"),
            (nil, "/usr/share/zoneinfo/Asia/Tokyo", "Europe/Paris", "Asia/Tokyo"),
            (nil, "../usr/share/zoneinfo/Asia/Tokyo", nil, "Asia/Tokyo"), (nil, nil, "Europe/Paris", "Europe/Paris"),
            (nil, "/etc/elsewhere", nil, nil), (nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?)])
    func timezone(set: String?, localtime: String?, named: String?, expected: String?) {
        let zone = HostFacts.timezone(environment: { $0 == "TZ" ? set : nil }, localtime: localtime, named: named)

        #expect(zone == expected)
    }

    @Test("the machine tells its system's name and release, and its own name")
    func collects() {
        let facts = HostFacts.collect()

        #expect(facts.osName == SystemDescription.osName)
        #expect(facts.osVersion?.isEmpty == false)
        #expect(facts.deviceName?.isEmpty == false)
        #expect(facts.deviceType == SystemDescription.deviceType)
    }

    @Test("small files are read up to their first line, and links by their target")
    func smallFiles() throws {
        let directory = try TemporaryDirectory()
        try "  Acme Inc. \nmore".write(toFile: directory.path("vendor"), atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "../zoneinfo/Etc/UTC")

        #expect(SmallFile.line(of: directory.path("vendor")) == "Acme Inc.")
        #expect(SmallFile.line(of: directory.path("missing")) == nil)
        #expect(SmallFile.target(of: directory.path("link")) == "../zoneinfo/Etc/UTC")
        #expect(SmallFile.target(of: directory.path("vendor")) == nil)
    }

    @Test("unknown facts are left out, and the options win member by member")
    func context() {
        let facts = HostFacts(osName: "Linux", osVersion: "6.1", deviceName: "box", deviceType: "Desktop")
        let own: JSONObject = [
            "device": ["manufacturer": "Acme", "name": "mine"], "network": ["wifi": true], "os": "none", "locale": nil,
        ]

        let context = AnalyticsContext.collect(facts, app: AppInfo(version: "2"), merging: own)

        #expect(
            JSONValue.object(context) == [
                "library": ["name": "mobile-tracker", "version": .string(ProductVersion.current)],
                "app": ["version": "2"],
                "device": ["name": "mine", "type": "Desktop", "manufacturer": "Acme"],
                "os": "none", "network": ["wifi": true], "locale": nil,
            ])
        #expect(AnalyticsContext.collect(facts, app: AppInfo(), merging: [:])["app"] == nil)
    }

    @Test("options that nest too deeply are refused")
    func deepContext() {
        var deep = JSONValue.null
        for _ in 0..<130 { deep = [deep] }
        let options = InitOptions(writeKey: "k", ingestionHost: "https://a.b", context: ["deep": deep])

        let error = #expect(throws: TrackerError.self) { try options.validate() }
        #expect(error?.message.contains("'context'") == true)
    }
}
