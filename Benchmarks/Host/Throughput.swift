import TestSupport
import TrackerModels

/// One host under as many calls as it takes.
enum Throughput {
    private static let count = 20_000

    static func run() async throws {
        say("\(count) calls of \(Sample.line.count) bytes")
        let pipe = try await echo()
        let socket = try await onThread { try bareRequests() }
        say("a pipe through cat: \(pipe) lines a second")
        say("bare requests on a socket: \(socket) a second")
        let settings: [(String, JSONObject)] = [
            ("durability process", [:]), ("durability full", ["durability": "full"]),
            ("8 requests at once", ["maxConcurrentRequests": 8]),
        ]
        for (name, more) in settings {
            let (acknowledged, delivered, host) = try await pour(more)
            let time = Int(try host.processorTime() / .microseconds(count))
            say("\(name):")
            say("  acknowledged \(acknowledged) a second, \(percent(acknowledged, pipe)) of the pipe")
            say("  delivered \(delivered) a second, \(percent(delivered, socket)) of bare requests")
            say("  processor time \(time) µs a call, resident \(try host.residentMebibytes()) MiB")
        }
    }

    private static func percent(_ part: Int, _ whole: Int) -> String { "\(part * 100 / max(1, whole)) %" }

    /// Writes all calls at once, and waits for all answers and all requests.
    private static func pour(_ more: JSONObject) async throws -> (acknowledged: Int, delivered: Int, HostClient) {
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let host = try HostClient()
        try host.call("init", ["925", backend.config(folder.path("state"), more)])
        let begin = ContinuousClock.now
        async let answered = exchange(with: host)
        var arrivals = backend.arrivals.makeAsyncIterator()
        var last = begin
        for _ in 0..<count { last = await arrivals.next()?.time ?? last }
        return (try await (answered - begin).rate(of: count), (last - begin).rate(of: count), host)
    }

    /// How many lines a second come back from a program that does nothing with them.
    private static func echo() async throws -> Int {
        let begin = ContinuousClock.now
        return (try await exchange(with: try HostClient("/bin/cat")) - begin).rate(of: count)
    }

    /// Writes all calls and reads as many lines.
    ///
    /// - Returns: When the last had come.
    private static func exchange(with host: HostClient) async throws -> ContinuousClock.Instant {
        async let written: Void = onThread {
            let piece = Array(repeatElement(Sample.line, count: 200).joined())
            for _ in 0..<count / 200 { try host.write(piece) }
        }
        try await onThread { try host.skipLines(count) }
        let end = ContinuousClock.now
        try await written
        return end
    }

    /// How many requests a second a client makes that only writes to a socket and reads from it.
    private static func bareRequests() throws -> Int {
        let backend = try Backend()
        let connection = try BareConnection(port: backend.port)
        let begin = ContinuousClock.now
        for _ in 0..<count { try connection.post("/v2/tracking-session-data", Sample.params) }
        return (ContinuousClock.now - begin).rate(of: count)
    }
}
