import TestSupport
import Testing

@testable import TrackerNetworking

@Suite("CurlLoop: the loop")
struct CurlLoopTests {
    private struct Weak: Sendable {
        weak let loop: CurlLoop?
    }

    @Test("runs posted work one after the other in the order of posting, from whichever thread")
    func order() async throws {
        let loop = try CurlLoop()
        let ran = Recorder<(thread: Int, number: Int)>()

        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        loop.post { ran.record((thread, number)) }
                    }
                }
            }
        }
        let all = try await ran.values(atLeast: 2000)

        for thread in 0..<4 {
            #expect(all.filter { $0.thread == thread }.map(\.number) == Array(0..<500))
        }
    }

    @Test("work, completions and timers all run on the one thread of the loop")
    func oneThread() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let threads = Recorder<UInt>()

        loop.post { threads.record(threadNumber()) }
        loop.schedule(at: loop.now) { threads.record(threadNumber()) }
        loop.submit(.post(server.url)) { _ in threads.record(threadNumber()) }

        let all = try await threads.values(atLeast: 3)
        #expect(Set(all).count == 1)
    }

    @Test("a timer runs at its instant, never before, and in the order of the instants")
    func timers() async throws {
        let loop = try CurlLoop()
        let ran = Recorder<(name: String, isEarly: Bool)>()
        @Sendable func schedule(_ name: String, _ delay: Duration, on loop: CurlLoop) -> TimerID {
            let instant = loop.now.advanced(by: delay)
            return loop.schedule(at: instant) { [loop = Weak(loop: loop)] in
                ran.record((name, loop.loop.map { $0.now < instant } ?? true))
            }
        }

        // On the loop itself, so that none runs before all are there.
        loop.post { [loop = Weak(loop: loop)] in
            guard let loop = loop.loop else { return }
            _ = schedule("third", .milliseconds(30), on: loop)
            _ = schedule("first", .milliseconds(-5), on: loop)
            let taken = schedule("never", .milliseconds(10), on: loop)
            _ = schedule("second", .milliseconds(20), on: loop)
            loop.cancel(taken)
        }

        let all = try await ran.values(atLeast: 3)
        #expect(all.map(\.name) == ["first", "second", "third"])
        #expect(all.allSatisfy { !$0.isEarly })
    }

    @Test("a timer that is taken back on the loop does not run, though it was due")
    func takenBack() async throws {
        let loop = try CurlLoop()
        let ran = Recorder<String>()
        let past = loop.now

        loop.post { [loop = Weak(loop: loop)] in
            guard let loop = loop.loop else { return }
            let second = loop.schedule(at: past) { ran.record("second") }
            loop.cancel(second)
            loop.schedule(at: past) { ran.record("third") }
        }

        #expect(try await ran.values(atLeast: 1) == ["third"])
    }

    @Test("a timer that schedules itself for the past leaves room for everything else")
    func endlessTimer() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let count = Recorder<Void>()
        @Sendable func again(_ loop: Weak) {
            count.record(())
            loop.loop.map { strong in _ = strong.schedule(at: MonotonicInstant(nanoseconds: .min)) { again(loop) } }
        }
        again(Weak(loop: loop))

        #expect(try await loop.answer(to: .post(server.url)).status == 200)
        try await count.values(atLeast: 10)
    }

    @Test("an idle loop parks once, for as long as it takes, and keeps its connection meanwhile")
    func idle() async throws {
        let server = try LoopbackServer()
        let idle = try CurlLoop()
        let busy = try CurlLoop()
        _ = try await idle.answer(to: .post(server.url))
        // The completion runs before the loop parks again; work posted behind it is answered from the park.
        let parked = Recorder<Int>()
        idle.post { [loop = Weak(loop: idle)] in parked.record(loop.loop?.parkings ?? -1) }
        let before = try await parked.values(atLeast: 1)[0]

        for _ in 0..<200 { _ = try await busy.answer(to: .post(server.url)) }

        #expect(idle.parkings <= before + 1)
        #expect(try await idle.answer(to: .post(server.url)).status == 200)
        #expect(server.connections == 2)
    }

    @Test("work posted in one go costs one wake-up")
    func coalesced() async throws {
        let loop = try CurlLoop()
        let ran = Recorder<Void>()
        loop.post { [loop = Weak(loop: loop)] in
            for _ in 0..<1000 { loop.loop?.post { ran.record(()) } }
        }

        try await ran.values(atLeast: 1000)

        #expect(loop.parkings <= 2)
    }

    @Test("a request that is called off ends at once with an error, and the server sees it go")
    func cancel() async throws {
        let server = try LoopbackServer { _ in .nothing(then: .stall) }
        let loop = try CurlLoop()
        let results = Recorder<Result<HTTPResponse, TransportError>>()
        let id = loop.submit(.post(server.url)) { results.record($0) }
        try await server.requests(atLeast: 1)

        loop.cancel(id)
        loop.cancel(id)

        let result = try await results.values(atLeast: 1)[0]
        let error = #expect(throws: TransportError.self) { try result.get() }
        #expect(error?.kind == .cancelled)
        #expect(error?.host == "127.0.0.1:\(server.port)")
        try await server.closings(atLeast: 1)
        _ = try await loop.failure(of: .post("nonsense"))
        #expect(results.all.count == 1)
    }

    @Test("calling off a request that is done, or was never made, does nothing")
    func cancelLate() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let results = Recorder<Int>()
        let id = loop.submit(.post(server.url)) { _ in results.record(1) }
        try await results.values(atLeast: 1)

        loop.cancel(id)
        loop.cancel(TransferID(999))

        #expect(try await loop.answer(to: .post(server.url)).status == 200)
        #expect(results.all.count == 1)
    }

    @Test("a request that is called off before the loop has seen it is never sent")
    func cancelEarly() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let results = Recorder<Result<HTTPResponse, TransportError>>()

        loop.post { [loop = Weak(loop: loop)] in
            guard let loop = loop.loop else { return }
            loop.cancel(loop.submit(.post(server.url + "/never")) { results.record($0) })
        }
        _ = try await results.values(atLeast: 1)
        _ = try await loop.answer(to: .post(server.url + "/after"))

        #expect(server.requests.map(\.path) == ["/after"])
    }

    @Test("closing gives every request in flight its error, runs what was posted before, and ends the thread")
    func close() async throws {
        let server = try LoopbackServer { _ in .nothing(then: .stall) }
        let loop = try CurlLoop()
        let events = Recorder<String>()
        for number in 0..<3 {
            loop.submit(.post(server.url)) { result in
                if case .failure(let error) = result { events.record("\(number) \(error.kind)") }
            }
        }
        try await server.requests(atLeast: 3)
        loop.schedule(at: loop.now.advanced(by: .seconds(3600))) { events.record("timer") }

        loop.post { events.record("posted") }
        try await loop.closeAndWait()

        #expect(events.all == ["posted", "0 closed", "1 closed", "2 closed"])
        try await server.closings(atLeast: 3)
    }

    @Test("a closed loop takes nothing more, and says so")
    func afterClose() async throws {
        let loop = try CurlLoop()
        try await loop.closeAndWait()
        let results = Recorder<Result<HTTPResponse, TransportError>>()

        loop.close()
        #expect(!loop.post { Issue.record("ran") })
        loop.schedule(at: loop.now) { Issue.record("ran") }
        loop.cancel(loop.submit(.post("http://127.0.0.1:1/")) { results.record($0) })

        let error = #expect(throws: TransportError.self) { try results.all.first?.get() }
        #expect(error?.kind == .closed)
        #expect(error?.host == "127.0.0.1:1")
    }

    @Test("a loop may be closed from its own thread, by work and by a completion that then submits again")
    func closeFromWithin() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let kinds = Recorder<String>()

        loop.submit(.post(server.url)) { [loop = Weak(loop: loop)] _ in
            loop.loop?.close()
            loop.loop?.submit(.post(server.url)) { result in
                if case .failure(let error) = result { kinds.record("\(error.kind)") }
            }
        }
        try await withGuard("the end") { await loop.ended() }

        #expect(kinds.all == ["closed"])
        #expect(server.requests.count == 1)
    }

    @Test("releasing a loop ends it and closes its connections")
    func release() async throws {
        let server = try LoopbackServer()
        var loop: CurlLoop? = try CurlLoop()
        _ = try await loop?.answer(to: .post(server.url))

        loop = nil

        try await server.closings(atLeast: 1)
    }

    @Test("many loops may start at once")
    func manyLoops() async throws {
        let server = try LoopbackServer()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let loop = try CurlLoop()
                    let status = try await loop.answer(to: .post(server.url)).status
                    try await loop.closeAndWait()
                    return status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
    }
}
