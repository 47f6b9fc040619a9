import Foundation
import TestSupport
import Testing
import TrackerCore
import TrackerModels

@testable import Bridge

@Suite("Metrics")
struct MetricsTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend { $0.text.contains("BAD") ? .status(422, body: "no") : nil }
    }

    /// Three clients with something of each kind in their accounts.
    private func track(_ client: BridgeClient) async throws {
        let (url, state) = (JSONValue.string(backend.server.url), JSONValue.string(folder.path("state")))
        try await client.call("init", ["925", backend.config(folder)])
        try await client.call(
            "analytics.initialize", [["writeKey": "secret-write-key", "ingestionHost": url, "storageDirectory": state]])
        try await client.call(
            "basic.initialize",
            ["secret-key", .string(backend.server.url + "/events"), nil, ["storageDirectory": state]])
        for number in 1...5 { try await client.call("track", ["PURCHASE-\(number)"]) }
        try await client.call("identify", ["secret-user", ["email": "secret@example.com"]])
        try await client.call("track", ["BAD"])
        try await client.call("track", [""])
        try await client.call("analytics.track", ["Order", ["text": .string(String(repeating: "x", count: 5_000))]])
        try await client.call("basic.track", ["Clicked"])
        for flush in ["flush", "analytics.flush", "basic.flush"] { try await client.call(flush) }
        try await client.call("setConsent", ["pending"])
        try await client.call("track", ["WAITS"])
    }

    private func metrics(_ client: BridgeClient) async throws -> String {
        try await client.call("host.metrics")["text"]?.stringValue ?? ""
    }

    @Test("are the values of the debug information, for each client")
    func debugInfo() async throws {
        let client = try BridgeClient()
        try await track(client)

        let sample = MetricsSample(try await metrics(client))

        for (name, method) in [
            ("tracker", "getDebugInfo"), ("analytics", "analytics.getDebugInfo"), ("basic", "basic.getDebugInfo"),
        ] {
            let info = try await client.call(method)
            let account = info["account"]
            for (metric, value) in [
                ("accepted_records_total", account?["accepted"]), ("recovered_records_total", account?["recovered"]),
                ("requeued_records_total", account?["requeued"]), ("delivered_records_total", account?["delivered"]),
                ("queued_records", account?["queued"]), ("queued_bytes", info["queueBytes"]),
                ("body_bytes_total", info["bytesBeforeCompression"]),
                ("sent_bytes_total", info["bytesAfterCompression"]),
                ("refused_bytes", info["refusedEvents"]?["bytes"]),
            ] { #expect(sample[metric, name] == value?.doubleValue, "\(metric) of \(name)") }
            for (metric, value) in [
                ("dropped_records_total", account?["dropped"]), ("refused_calls_total", info["refused"]),
                ("refused_records", info["refusedEvents"]?["reasons"]),
            ] {
                let expected = value?.objectValue?.map { ($0.key, $0.value.doubleValue ?? -1) } ?? []
                #expect(
                    sample.reasons(metric, name) == Dictionary(uniqueKeysWithValues: expected), "\(metric) of \(name)")
            }
            #expect(sample["delivery_seconds_count", name] == account?["delivered"]?.doubleValue)
            #expect(sample["breakers_open", name] == 0 && sample["deliveries_halted", name] == 0)
            #expect(sample["disks_failing", name] == 0)
        }
        #expect(sample["delivered_records_total", "tracker"] == 6)
        #expect(sample.reasons("dropped_records_total", "tracker") == ["rejected(422)": 1])
        #expect(sample.reasons("refused_calls_total", "tracker") == ["INVALID_EVENT_NAME": 1])
        #expect(sample["queued_records", "tracker"] == 1)
        let oldest = try #require(sample["oldest_queued_timestamp_seconds", "tracker"])
        #expect(abs(oldest - Date().timeIntervalSince1970) < 3_600)
        #expect(sample["oldest_queued_timestamp_seconds", "basic"] == nil)
        #expect((sample["sent_bytes_total", "analytics"] ?? 0) < (sample["body_bytes_total", "analytics"] ?? 0) / 5)
    }

    @Test("of many sessions never fall when one ends")
    func endedSessions() async throws {
        let lanes = OpenLanes()
        let metrics = HostMetrics(lanes: lanes)
        let settings = HostSettings(
            appName: "metrics", storageDirectory: folder.path("state"), maxMessageBytes: 1 << 20)
        func session() async throws -> HostSession {
            let session = HostSession(
                settings: settings, log: HostLog(descriptor: -1, least: nil), metrics: metrics, notify: { _ in },
                lanes: lanes, stop: {})
            try await session.tracker.initialize(
                brandId: "925",
                config: TrackerConfig(
                    apiUrl: backend.server.url, xApiKey: "key-1234",
                    delivery: DeliveryOptions(storageDirectory: folder.path("state"))))
            await session.tracker.track(eventName: "A")
            await session.tracker.track(eventName: "")
            _ = await session.tracker.flush()
            return session
        }
        func counters() -> [Double?] {
            let sample = MetricsSample(metrics.text)
            return [sample["accepted_records_total", "tracker"], sample["delivered_records_total", "tracker"]]
                + [sample.reasons("refused_calls_total", "tracker")["INVALID_EVENT_NAME"]]
        }
        let first = try await session()
        #expect(counters() == [1, 1, 1])

        await withCheckedContinuation { done in first.shutdown(by: .now + .seconds(60)) { done.resume() } }

        #expect(counters() == [1, 1, 1])
        let second = try await session()
        #expect(counters() == [2, 2, 2])
        await withCheckedContinuation { done in second.shutdown(by: .now + .seconds(60)) { done.resume() } }
        await withCheckedContinuation { done in lanes.end(within: .seconds(60)) { done.resume() } }
        #expect(counters() == [2, 2, 2])
    }

    @Test("are read on another thread, which keeps nobody waiting who asks meanwhile")
    func readAside() async throws {
        let metrics = HostMetrics()
        let answers = Recorder<String>()
        let isAsked = DispatchSemaphore(value: 0)

        metrics.readAside { _ in
            isAsked.wait()
            answers.record("first")
        }
        for _ in 0..<3 { metrics.readAside { _ in answers.record("later") } }
        isAsked.signal()

        #expect(try await answers.values(atLeast: 4) == ["first", "later", "later", "later"])
    }

    @Test("have no name of an event, a user, a key or an address, and promtool finds nothing to say")
    func labels() async throws {
        let client = try BridgeClient()
        try await track(client)

        let text = try await metrics(client)
        try await client.finish()
        let inspected = try await inspect(folder.path("state"))

        for text in [text, inspected.output] {
            // A figure, such as a time, may have the digits of a brand.
            let names = text.split(separator: "\n").map { line in
                line.hasPrefix("#") ? line : line[..<(line.lastIndex(of: " ") ?? line.endIndex)]
            }.joined(separator: "\n")
            for word in ["PURCHASE", "BAD", "WAITS", "Order", "Clicked", "secret", "127.0.0.1", "925", "session-1"] {
                #expect(!names.contains(word))
            }
            #expect(text.hasSuffix("\n# EOF\n"))
            #expect(try await Promtool.check(metrics: text) == "")
        }
        #expect(try await Promtool.check(metrics: text.replacingOccurrences(of: "_total{", with: "{")) != "")
    }

    @Test("have alerts in Operations that promtool accepts, about metrics that there are")
    func alerts() async throws {
        let (page, rules) = (try Self.page(), try alertRules())
        try Data(rules.utf8).write(to: URL(fileURLWithPath: folder.path("rules.yml")))

        #expect(try await Promtool.check(rules: folder.path("rules.yml")) == "")

        let known = MetricFamily.all.flatMap { [$0.name] + ($0.kind == .histogram ? ["\($0.name)_bucket"] : []) }
        let names = rules.matches(of: /mobile_tracker_[a-z_]+/).map { String($0.output) }
        #expect(names.count >= 5 && Set(names).isSubset(of: known))
        let documented = Set(page.matches(of: /`([a-z_]+)`/).map { "mobile_tracker_\($0.output.1)" })
        #expect(MetricFamily.all.map(\.name).filter { !documented.contains($0) } == [])
    }

    /// The page that has the alerts.
    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Docs/Operations.md"), encoding: .utf8)
    }

    private func alertRules() throws -> String {
        let parts = try Self.page().components(separatedBy: "```yaml\ngroups:")
        try #require(parts.count == 2)
        return "groups:" + parts[1].components(separatedBy: "```")[0]
    }

    @Test("fire the alerts of Operations in time, the first drop among them, and no sooner")
    func alertsFire() async throws {
        try Data(try alertRules().utf8).write(to: URL(fileURLWithPath: folder.path("rules.yml")))
        try Data(Self.alertTimes.utf8).write(to: URL(fileURLWithPath: folder.path("times.yml")))

        #expect(try await Promtool.test(rules: folder.path("times.yml")) == "")
    }

    /// What a scrape finds each minute, and which alerts fire then. `_` is a scrape without the series.
    private static let alertTimes = #"""
        rule_files: [rules.yml]
        evaluation_interval: 1m
        tests:
          - interval: 1m
            input_series:
              - {series: 'mobile_tracker_dropped_records_total{client="tracker",reason="evicted"}', values: '_x5 1x60'}
              - {series: 'mobile_tracker_dropped_records_total{client="basic",reason="expired"}', values: '3x39 4x20'}
              - {series: 'mobile_tracker_dropped_records_total{client="basic",reason="reset"}', values: '_x5 1x60'}
              - {series: 'mobile_tracker_deliveries_halted{client="tracker"}', values: '0x4 1x60'}
              - {series: 'mobile_tracker_disks_failing{client="tracker"}', values: '0x4 1x60'}
              - {series: 'mobile_tracker_oldest_queued_timestamp_seconds{client="tracker"}', values: '0x60'}
              - {series: 'mobile_tracker_delivery_seconds_bucket{client="tracker",le="60.0"}', values: '0+90x60'}
              - {series: 'mobile_tracker_delivery_seconds_bucket{client="tracker",le="600.0"}', values: '0+100x60'}
              - {series: 'mobile_tracker_delivery_seconds_bucket{client="tracker",le="+Inf"}', values: '0+100x60'}
            alert_rule_test:
              - {eval_time: 4m, alertname: TrackerEventsLost, exp_alerts: [{exp_labels: {severity: warning, client: basic, reason: expired}, exp_annotations: {summary: "Events of basic on  were dropped: expired"}}]}
              - {eval_time: 5m, alertname: TrackerEventsLost, exp_alerts: [{exp_labels: {severity: warning, client: basic, reason: expired}, exp_annotations: {summary: "Events of basic on  were dropped: expired"}}, {exp_labels: {severity: warning, client: tracker, reason: evicted}, exp_annotations: {summary: "Events of tracker on  were dropped: evicted"}}]}
              - {eval_time: 20m, alertname: TrackerEventsLost}
              - {eval_time: 41m, alertname: TrackerEventsLost, exp_alerts: [{exp_labels: {severity: warning, client: basic, reason: expired}, exp_annotations: {summary: "Events of basic on  were dropped: expired"}}]}
              - {eval_time: 19m, alertname: TrackerHalted}
              - {eval_time: 20m, alertname: TrackerHalted, exp_alerts: [{exp_labels: {severity: critical, client: tracker}, exp_annotations: {summary: "The server refuses the key or the address of tracker on "}}]}
              - {eval_time: 5m, alertname: TrackerDiskFails}
              - {eval_time: 6m, alertname: TrackerDiskFails, exp_alerts: [{exp_labels: {severity: critical, client: tracker}, exp_annotations: {summary: "The disk of  refuses to be written: calls of tracker may be lost"}}]}
              - {eval_time: 20m, alertname: TrackerEventsWait}
              - {eval_time: 21m, alertname: TrackerEventsWait, exp_alerts: [{exp_labels: {severity: warning, client: tracker}, exp_annotations: {summary: "Events of tracker on  wait for over 15 minutes"}}]}
              - {eval_time: 15m, alertname: TrackerSlow}
              - {eval_time: 17m, alertname: TrackerSlow, exp_alerts: [{exp_labels: {severity: warning, client: tracker}, exp_annotations: {summary: "One event of tracker in twenty takes over a minute to arrive"}}]}
        """#

    @Test("see a halt and an open breaker")
    func troubles() async throws {
        let failing = try LoopbackServer(answer: { request in
            request.path == "/events" ? .status(401) : .status(503)
        })
        let client = try BridgeClient()
        try await client.call("host.subscribe", [["diagnostics"]])
        let state = JSONValue.string(folder.path("state"))
        try await client.call(
            "analytics.initialize",
            [
                [
                    "writeKey": "wk", "ingestionHost": .string(failing.url), "storageDirectory": state,
                    "failureThreshold": 1,
                ]
            ])
        try await client.call(
            "basic.initialize", ["key", .string(failing.url + "/events"), nil, ["storageDirectory": state]])
        try await client.call("analytics.track", ["A"])
        try await client.call("basic.track", ["B"])
        #expect(try await client.call("analytics.flush")["stoppedBy"] == "breakerOpen")
        #expect(try await client.call("basic.flush")["stoppedBy"] == "halted")

        let sample = MetricsSample(try await metrics(client))

        #expect(sample["breakers_open", "analytics"] == 1 && sample["deliveries_halted", "analytics"] == 0)
        #expect(sample["breakers_open", "basic"] == 0 && sample["deliveries_halted", "basic"] == 1)
        #expect(sample["queued_records", "analytics"] == 1 && sample["queued_records", "basic"] == 1)
    }

    @Test("begin anew with a process, but for what is on disk; those of the folder go on")
    func restart() async throws {
        let first = try BridgeClient()
        try await track(first)
        try await first.finish()
        let second = try BridgeClient()
        try await second.call("init", ["925", backend.config(folder)])

        let sample = MetricsSample(try await metrics(second))
        let inspected = MetricsSample(try await inspect(folder.path("state")).output)

        #expect(sample["accepted_records_total", "tracker"] == 0)
        #expect(sample["recovered_records_total", "tracker"] == 1)
        #expect(sample["delivery_seconds_count", "tracker"] == 0)
        #expect(sample["queued_records", "tracker"] == 1)
        #expect(sample.reasons("refused_records", "tracker") == ["rejected(422)": 1])
        #expect(inspected["accepted_records_total", "tracker"] == 8)
        #expect(inspected["delivered_records_total", "tracker"] == 6)
        #expect(inspected["queued_records", "tracker"] == 1)
        #expect(inspected.reasons("dropped_records_total", "tracker") == ["rejected(422)": 1])
        #expect((inspected["sent_bytes_total", "analytics"] ?? 0) > 0)
        #expect(inspected["recovered_records_total", "tracker"] == nil)
        #expect(inspected["delivery_seconds_count", "tracker"] == nil)
        #expect(inspected["breakers_open", "tracker"] == nil)
    }

    private func inspect(_ folder: String) async throws -> (ending: Program.Ending, output: String, log: [String]) {
        let host = try HostProcess(["--inspect", folder, "--format", "openmetrics"])
        host.input.writer.close()
        let output = try await onThread { String(decoding: host.output.reader.readAll(), as: UTF8.self) }
        return (try await host.end(), output, host.log.all)
    }

    @Test("of a folder without a database are none, and of a damaged one an error")
    func folders() async throws {
        for name in ["nothing", "bad"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        let none = try await inspect(folder.path("nothing"))
        try Data("no database at all, but long enough to be read as one".utf8)
            .write(to: URL(fileURLWithPath: folder.path("bad/tracker.sqlite3")))
        let damaged = try await inspect(folder.path("bad"))

        #expect(none.ending == .code(0) && none.output == "# EOF\n")
        #expect(damaged.ending == .code(1) && damaged.output == "")
        #expect(damaged.log.count == 1)
    }
}

@Suite("The metrics file")
struct MetricsFileTests {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("tracker.prom")
    }

    private func log() throws -> (HostLog, () -> [String]) {
        let pipe = try ProgramPipe()
        let log = HostLog(descriptor: pipe.writer.number, least: .debug)
        return (
            log,
            {
                pipe.writer.close()
                return String(decoding: pipe.reader.readAll(), as: UTF8.self).split(separator: "\n").map(String.init)
            }
        )
    }

    @Test("is written a while after a change, once for many, and not without one")
    func changes() async throws {
        let (log, _) = try log()
        let file = MetricsFile(path, log: log, interval: .milliseconds(200))
        let written = Recorder<Int>()

        #expect(!FileManager.default.fileExists(atPath: path))
        for _ in 1...1_000 {
            file.change {
                written.record(1)
                return "metrics\n"
            }
        }
        try await written.values(atLeast: 1)
        // It waits for the write that has just asked for the text.
        file.write { nil }

        #expect(written.all.count < 1_000)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "metrics\n")
    }

    @Test("has the last figures once the host has ended, and leaves nothing beside it")
    func end() async throws {
        let backend = try Backend()
        // A service may have a strict mask.
        let host = try HostProcess(
            ["-c", #"umask 077; exec "$0" "$@""#, HostProcess.path] + HostProcess.patience + ["--metrics-file", path],
            path: "/bin/sh")
        let client = BridgeClient(host)
        try await withGuard("the first write") { [path] in
            while !FileManager.default.fileExists(atPath: path) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "# EOF\n")

        try await client.call("init", ["925", backend.config(folder)])
        for number in 1...3 { try await client.call("track", ["E\(number)"]) }
        try await client.finish()

        let text = try String(contentsOfFile: path, encoding: .utf8)
        let sample = MetricsSample(text)
        #expect(sample["accepted_records_total", "tracker"] == 3)
        #expect(sample["delivered_records_total", "tracker"] == 3)
        #expect(sample["queued_records", "tracker"] == 0)
        #expect(sample["delivery_seconds_count", "tracker"] == 3)
        #expect(try await Promtool.check(metrics: text) == "")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["state", "tracker.prom"])
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(rights.map { $0 & 0o444 } == 0o444)
    }

    @Test("that cannot be written is one warning, and delivery goes on", arguments: ["missing/tracker.prom", "folder"])
    func unwritable(name: String) async throws {
        let backend = try Backend()
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        let client = try BridgeClient(["--metrics-file", folder.path(name)])

        try await client.call("init", ["925", backend.config(folder)])
        try await client.call("track", ["A"])
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(try await client.finish() == .code(0))

        #expect(client.host.log.all.filter { $0.contains("metrics file") }.count == 1)
        #expect(try await client.host.logged("cannot be written").contains { $0.contains(folder.path(name)) })
        #expect(backend.eventNames == ["A"])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!files.contains { $0.hasSuffix(".tmp") })
    }

    @Test("keeps neither a start nor an end waiting beyond its time while it is being written")
    func stalls() async throws {
        let (log, _) = try log()
        let file = MetricsFile(path, log: log)
        let metrics = HostMetrics(file: file)
        let isWriting = Recorder<Bool>()
        let stall = try ProgramPipe()
        file.writeAside {
            isWriting.record(true)
            _ = stall.reader.read()
            return "first"
        }
        try await isWriting.values(atLeast: 1)

        try await onThread {
            metrics.begin()
            metrics.end(by: .now + .milliseconds(50))
        }
        #expect(!FileManager.default.fileExists(atPath: path))

        stall.writer.close()
        try await onThread { metrics.end(by: .now + .seconds(120)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "# EOF\n")
    }

    @Test("says so when it can be written again")
    func recovery() throws {
        let (log, lines) = try log()
        let file = MetricsFile(folder.path("later/tracker.prom"), log: log)

        file.write { "a" }
        file.write { "b" }
        try FileManager.default.createDirectory(atPath: folder.path("later"), withIntermediateDirectories: true)
        file.write { "c" }
        file.write { "d" }

        let said = lines()
        #expect(said.count == 2)
        #expect(said.first?.contains("cannot be written: No such file or directory.") == true)
        #expect(said.last?.hasSuffix("can be written again.") == true)
        #expect(try String(contentsOfFile: folder.path("later/tracker.prom"), encoding: .utf8) == "d")
    }
}
