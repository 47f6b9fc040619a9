import Foundation
import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("The thread of a delivery loop")
struct LoopThreadTests {
    @Test("has a name of its own, whichever thread has started it")
    func name() async throws {
        let names = Recorder<String>()

        let isStarted = LoopThread.start {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            names.record(name ?? "")
            return []
        }

        #expect(isStarted)
        #expect(try await names.values(atLeast: 1) == ["\(LoopThread.name)\n"])
    }
}
