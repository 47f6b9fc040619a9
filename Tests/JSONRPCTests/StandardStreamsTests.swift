import Foundation
import Testing

@testable import JSONRPC

@Suite("StandardStreams", .timeLimit(.minutes(5)))
struct StandardStreamsTests {
    @Test("keep a stray print from the client, and the client's messages from a stray read")
    func movesAway() throws {
        let (input, output, errors) = (Session.pipe(), Session.pipe(), Session.pipe())
        input.writer.write("message")

        let streams = StandardStreams(
            input: input.reader.descriptor, output: output.writer.descriptor, errors: errors.writer.descriptor
        )
        output.writer.write("print")
        Endpoint(dup(streams.output)).write("answer")

        #expect(input.reader.readSome().isEmpty)
        #expect(text(of: Endpoint(streams.input)) == "message")
        #expect(text(of: output.reader) == "answer")
        #expect(text(of: errors.reader) == "print")
        close(streams.output)
    }

    @Test("are not passed on to child processes")
    func closesOnExec() {
        let (input, output, errors) = (Session.pipe(), Session.pipe(), Session.pipe())

        let streams = StandardStreams(
            input: input.reader.descriptor, output: output.writer.descriptor, errors: errors.writer.descriptor
        )

        for stream in [Endpoint(streams.input), Endpoint(streams.output)] {
            #expect(fcntl(stream.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(stream.descriptor >= 10)
        }
    }

    @Test("are open afterwards even if the process was started without them")
    func opensClosed() {
        // The highest numbers there can be: nothing else in this process comes to use them.
        let numbers = (1...3).map { getdtablesize() - $0 }

        let streams = StandardStreams(input: numbers[0], output: numbers[1], errors: numbers[2])

        #expect(streams.input == -1)
        #expect(streams.output == -1)
        for number in numbers {
            let stream = Endpoint(number)
            #expect(stream.write("swallowed"))
            #expect(stream.readSome().isEmpty)
        }
    }

    @Test("a pipe says whether it takes a page without waiting, and nothing else does")
    func roomOfPipes() throws {
        let (reader, writer) = Session.pipe()
        let output = ByteStream(descriptor: writer.descriptor)
        #expect(output.isPipe && output.hasRoomForPage)

        _ = fcntl(writer.descriptor, F_SETFL, O_NONBLOCK)
        while unsafe Foundation.write(writer.descriptor, "x", 1) == 1 {}
        #expect(!output.hasRoomForPage)

        // What a page takes is free once a page is read.
        var read = 0
        while read < ByteStream.pageBytes { read += reader.readSome().count }
        #expect(output.hasRoomForPage)
        reader.close()
        #expect(!output.hasRoomForPage)
        #expect(!ByteStream(descriptor: -1).isPipe && !ByteStream(descriptor: STDIN_FILENO + 1000).isPipe)
    }

    private func text(of endpoint: Endpoint) -> String {
        String(decoding: endpoint.readSome(), as: UTF8.self)
    }
}
