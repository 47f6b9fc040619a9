import Foundation
import Testing

@Suite("The host's process", .timeLimit(.minutes(1)))
struct HostProcessTests {
    private static let call = #"{"jsonrpc":"2.0","id":1,"method":"no.such.method"}"#

    @Test("ends with 0 at a signal, having answered what was read", arguments: [SIGTERM, SIGINT])
    func endsAtSignal(_ signal: Int32) async throws {
        let host = try HostProcess()
        try host.send(Self.call + "\n")
        let answer = host.output.availableData

        kill(host.processIdentifier, signal)

        #expect(String(decoding: answer, as: UTF8.self).contains("METHOD_NOT_FOUND"))
        #expect(await host.exitCode() == 0)
    }

    @Test("ends with 0 at the end of its input")
    func endsWithInput() async throws {
        let host = try HostProcess()
        try host.send(Self.call)
        try host.input.close()

        #expect(String(decoding: try host.output.readToEnd() ?? Data(), as: UTF8.self).contains("METHOD_NOT_FOUND"))
        #expect(await host.exitCode() == 0)
    }

    @Test("outlives a client that reads no more")
    func outlivesReader() async throws {
        let host = try HostProcess()
        try host.output.close()
        try host.send(Self.call + "\n")
        try host.send(Self.call + "\n")
        try host.input.close()

        #expect(await host.exitCode() == 0)
    }

    @Test("ends with 64 and says why when it is used wrongly")
    func explainsUsage() async throws {
        let host = try HostProcess(arguments: ["--bogus"])

        #expect(await host.exitCode() == 64)
        let errors = String(decoding: try host.errors.readToEnd() ?? Data(), as: UTF8.self)
        #expect(errors == "BridgeHost: unknown argument '--bogus'\nTry --help.\n")
        #expect(try host.output.readToEnd() ?? Data() == Data())
    }

    @Test("prints what was asked for", arguments: [("--help", "Usage: BridgeHost"), ("--version", "BridgeHost ")])
    func prints(_ argument: String, _ start: String) async throws {
        let host = try HostProcess(arguments: [argument])

        #expect(String(decoding: try host.output.readToEnd() ?? Data(), as: UTF8.self).hasPrefix(start))
        #expect(await host.exitCode() == 0)
    }
}

/// A host that was just built, as a process of its own.
final class HostProcess: Sendable {
    let input: FileHandle
    let output: FileHandle
    let errors: FileHandle
    let processIdentifier: Int32
    private let ended: AsyncStream<Int32>

    init(arguments: [String] = []) throws {
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { process in
            // A process that was ended by a signal must not look like one that ended by itself.
            continuation.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
            continuation.finish()
        }
        try process.run()
        (self.input, self.output, self.errors) = (
            input.fileHandleForWriting, output.fileHandleForReading, errors.fileHandleForReading
        )
        self.ended = ended
        processIdentifier = process.processIdentifier
    }

    /// Writes to the host.
    func send(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
    }

    /// Waits for the end; -1 if it was a signal's.
    func exitCode() async -> Int32? {
        var iterator = ended.makeAsyncIterator()
        return await iterator.next()
    }

    /// The host lies beside the tests.
    private static var executable: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = (tests ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent()
        return folder.appendingPathComponent("BridgeHost")
    }
}
