import Foundation
import Testing
import TrackerNetworking

@testable import TrackerCore

@Suite("The monotonic clock")
struct MonotonicClockTests {
    @Test("is one for waits, for timers and for the ages of events")
    func isOne() throws {
        let loop = try CurlLoop(configuration: TransportConfiguration(userAgent: "test", proxy: ""))
        let clock = SystemClock()

        let readings = (0..<100).flatMap { _ -> [Duration] in
            let zero = MonotonicInstant(nanoseconds: 0)
            return [zero.duration(to: MonotonicClock.now), zero.duration(to: loop.now), clock.uptime]
        }
        loop.close()

        #expect(readings == readings.sorted())
    }

    @Test("is read in one place: nothing in the modules asks another clock, which might stop while the machine sleeps")
    func hasOneSource() throws {
        let clocks = [
            "ContinuousClock", "SuspendingClock", "CLOCK_MONOTONIC", "CLOCK_BOOTTIME", "DispatchTime", "systemUptime",
            "mach_absolute_time",
        ]
        #expect(try Self.files(in: "Modules", with: clocks) == ["TrackerModels/Identifiers/MonotonicClock.swift"])
    }

    @Test("serves all timers: none is Dispatch's, which opens descriptors for the first one and traps without")
    func hasAllTimers() throws {
        let timers = [".asyncAfter", "DispatchSource", "Task.sleep", "makeTimerSource", "Timer.scheduled"]

        for folder in ["Modules", "BridgeHost"] { #expect(try Self.files(in: folder, with: timers) == []) }
    }

    /// The source files of a folder that have one of the words.
    private static func files(in folder: String, with words: [String]) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { path in
            guard [".swift", ".c", ".h"].contains(where: path.hasSuffix) else { return false }
            let source = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return words.contains { source.contains($0) }
        }
    }
}
