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
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let modules = root.appending(path: "Modules")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: modules.path)
            .filter { [".swift", ".c", ".h"].contains(where: $0.hasSuffix) }

        let readers = try paths.filter { path in
            let source = try String(contentsOf: modules.appending(path: path), encoding: .utf8)
            return clocks.contains { source.contains($0) }
        }

        #expect(readers == ["TrackerModels/Identifiers/MonotonicClock.swift"])
    }
}
