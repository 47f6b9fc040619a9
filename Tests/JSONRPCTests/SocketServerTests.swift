import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("SocketServer", .timeLimit(.minutes(5)))
struct SocketServerTests {
    @Test(
        "delays nobody for a message that is cut anywhere, and answers it when the rest comes",
        arguments: [Framing.lines, .headers])
    func cutMessages(framing: Framing) async throws {
        try await onThread {
            let socket = try ServedSocket()
            let other = try socket.connect()
            let message = framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["x"]}"#, framing)
            let whole = framed(#"{"jsonrpc":"2.0","id":1,"result":["x"]}"#, framing)
            let clients = try (1..<message.count).map { cut in
                let client = try socket.connect()
                client.stream.write(Array(message[..<cut]))
                return (client, message[cut...])
            }

            #expect(other.call(7) == ServedClient.answer(7))
            for (client, rest) in clients {
                client.stream.write(Array(rest))
                client.endWriting()
                #expect(client.stream.readAll() == whole)
            }
            #expect(other.call(8) == ServedClient.answer(8))
        }
    }

    @Test("answers what a client has written before it writes no more, and what the end cuts short")
    func endOfWriting() async throws {
        try await onThread {
            let socket = try ServedSocket()
            let client = try socket.connect()

            client.stream.write(ServedClient.echo(1) + ServedClient.echo(2) + Array(#"{"jsonrpc":"#.utf8))
            client.endWriting()

            #expect(client.line() == ServedClient.answer(1))
            #expect(client.line() == ServedClient.answer(2))
            #expect(client.line()?.contains("-32700") == true)
            #expect(client.line() == nil)
        }
    }

    @Test("runs what a connection has put off as soon as the connection has ended, and not before")
    func endOfTimers() async throws {
        let events = Recorder<String>()
        let socket = try ServedSocket { link in
            ClosureResponder { _, reply in
                link.after(.seconds(3_600)) { events.record("ran") }
                reply.succeed(with: .null)
            }
        }
        try await onThread {
            let client = try socket.connect()
            #expect(client.call(1) != nil && client.call(2) != nil)
            #expect(events.all.isEmpty)

            client.endWriting()
        }

        #expect(try await events.values(atLeast: 2) == ["ran", "ran"])
    }

    @Test("keeps nothing of a connection that has ended for what sends answers together")
    func keepsNoConnection() async throws {
        struct Connection {
            weak var queue: OutputQueue?
            let together: @Sendable (() -> Void) -> Void
        }
        let connections = Mutex<[Connection]>([])
        let socket = try ServedSocket { link in
            connections.withLock { $0.append(Connection(queue: link.queue, together: link.together)) }
            return EchoResponder()
        }
        try await onThread {
            let (client, other) = (try socket.connect(), try socket.connect())
            #expect(client.call(1) != nil)

            client.endWriting()
            #expect(client.line() == nil)
            // What ended before has had its turn.
            #expect(other.call(1) != nil)
        }

        #expect(connections.withLock { $0[0].queue } == nil)
    }

    @Test("takes a batch in turns: what another client asks meanwhile is answered before its end")
    func takesTurns() async throws {
        try await onThread {
            let order = Recorder<String>()
            let other = Mutex<ServedClient?>(nil)
            let socket = try ServedSocket { _ in
                ClosureResponder { request, reply in
                    if order.all.isEmpty { other.withLock { _ = $0?.stream.write(ServedClient.echo(7)) } }
                    order.record(request.method)
                    reply.succeed(with: .null)
                }
            }
            let (client, quick) = (try socket.connect(), try socket.connect())
            other.withLock { $0 = quick }
            let call = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#

            client.stream.write("[\(repeatElement(call, count: 1_000).joined(separator: ","))]\n")

            #expect(client.line()?.hasPrefix(#"[{"jsonrpc":"2.0","id":1,"result":null},"#) == true)
            #expect(quick.line() != nil)
            let place = try #require(order.all.firstIndex(of: "echo"))
            #expect(order.all.count == 1_001 && place < 1_000)
        }
    }

    @Test("goes on with the others while a client does not read, and gives it every answer once it does")
    func slowReader() async throws {
        try await onThread {
            var limits = SocketServer.Limits.patient
            limits.connection.maxUnreadBytes = 64 << 10
            let socket = try ServedSocket(limits)
            let (slow, quick) = (try socket.connect(), try socket.connect())
            let count = 20_000
            let calls = Array((0..<count).map { ServedClient.echo($0) }.joined())

            let rest = slow.stream.writeUntilFull(calls)
            #expect(!rest.isEmpty)
            for number in 0..<100 { #expect(quick.call(number) == ServedClient.answer(number)) }
            // Those that may wait, and one more piece of the input.
            #expect(socket.server.heldBytes < 512 << 10)

            Thread.detachNewThread { slow.stream.write(rest) }
            for number in 0..<count { try #require(slow.line() == ServedClient.answer(number)) }
        }
    }

    @Test("serves many clients that come, call and go in any order", arguments: Seeds.cases(5, of: "clients"))
    func manyClients(seed: UInt64) async throws {
        try await onThread {
            let socket = try ServedSocket()
            var chance = SeededGenerator(seed: seed)
            var clients: [(client: ServedClient, sent: Int, read: Int)] = []

            for _ in 0..<2_000 {
                if clients.count < 2 || clients.count < 150 && chance.once(in: 4) {
                    clients.append((try socket.connect(), 0, 0))
                }
                let index = chance.pick(clients.indices)
                switch Int.random(in: 0..<8, using: &chance) {
                case 0..<4:
                    clients[index].client.stream.write(ServedClient.echo(clients[index].sent))
                    clients[index].sent += 1
                case 4..<7:
                    while clients[index].read < clients[index].sent {
                        try #require(clients[index].client.line() == ServedClient.answer(clients[index].read))
                        clients[index].read += 1
                    }
                // It goes in the midst of a message, with answers that it has not read.
                default:
                    clients[index].client.stream.write(Array(#"{"jsonrpc":"2.0","#.utf8))
                    clients.remove(at: index).client.stream.close()
                }
            }

            for (client, sent, read) in clients {
                client.endWriting()
                #expect(client.readLines(sent - read) == sent - read)
            }
        }
    }

    @Test("keeps nothing of a client that has gone, whatever it has left behind")
    func keepsNothing() async throws {
        let held = HeldReplies()
        let calls = Recorder<Bool>()
        let socket = try ServedSocket { _ in
            ClosureResponder { request, reply in
                calls.record(true)
                if request.method == "held" {
                    held.append(reply)
                } else {
                    reply.succeed(with: JSONText(String(repeating: "y", count: 1 << 20)))
                }
            }
        }
        let long = String(repeating: "x", count: 100_000)

        try await onThread {
            let clients = try (0..<4).map { _ in try socket.connect() }
            clients[0].stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"held","params":["\#(long)"]}"#, .lines))
            clients[1].stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"large"}"#, .lines))
            clients[2].stream.write(Array(long.utf8))
            clients[3].stream.write(
                framed(#"[{"jsonrpc":"2.0","id":1,"method":"held"},{"jsonrpc":"2.0","id":2,"method":"large"}]"#, .lines)
            )
        }
        // The clients are gone now; their calls were read.
        try await calls.values(atLeast: 4)
        try await withGuard("the release of what was held") {
            while socket.server.heldBytes != 0 {
                try Task.checkCancellation()
                held.answerAll()
                await Task.yield()
            }
        }
        #expect(socket.server.heldBytes == 0)
    }

    @Test("has the responder end for a client that is gone, although a call has no answer")
    func endsForGone() async throws {
        let events = Recorder<HeldResponder.Event>()
        let socket = try ServedSocket { _ in HeldResponder { events.record($0) } }

        try await onThread {
            let client = try socket.connect()
            client.stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, .lines))
            client.stream.close()
        }

        #expect(try await events.values(atLeast: 3) == [.call("m"), .willShutDown, .shutdown])
    }

    @Test("carries out what a client has written before it goes, also what has to wait for room then")
    func readsRest() async throws {
        var limits = SocketServer.Limits.patient
        limits.connection.maxUnansweredCalls = 10
        let events = Recorder<HeldResponder.Event>()
        let responder = HeldResponder { events.record($0) }
        let socket = try ServedSocket(limits) { _ in responder }
        let count = 3_000
        // More than is read at once, and less than the socket takes.
        let calls = Array((0..<count).map { framed(#"{"jsonrpc":"2.0","method":"m\#($0)"}"#, .lines) }.joined())

        try await onThread {
            let client = try socket.connect()
            client.stream.write(calls)
            client.stream.close()
        }
        let before = try await events.values(atLeast: 11)
        #expect(before == (0..<10).map { HeldResponder.Event.call("m\($0)") } + [.willShutDown])

        var answered = 0
        while answered < count {
            // The calls so far, the beginning of the end, and one call more.
            try await events.values(atLeast: answered + 2)
            let more = responder.calls[answered...]
            try #require(!more.isEmpty)
            for method in more { responder.answer(method) }
            answered += more.count
        }
        #expect(try await events.values(atLeast: count + 2).last == .shutdown)
        #expect(responder.calls == (0..<count).map { "m\($0)" })
    }

    @Test("ends a client that has gone in time, although there is never room for what it has written")
    func endsGoneInTime() async throws {
        var limits = SocketServer.Limits.patient
        limits.connection.maxUnansweredCalls = 1
        limits.connection.shutdownTimeout = .milliseconds(50)
        let events = Recorder<HeldResponder.Event>()
        let socket = try ServedSocket(limits) { _ in HeldResponder { events.record($0) } }

        try await onThread {
            let client = try socket.connect()
            for _ in 0..<3 { client.stream.write(framed(#"{"jsonrpc":"2.0","method":"m"}"#, .lines)) }
            client.stream.close()
        }

        #expect(try await events.values(atLeast: 3) == [.call("m"), .willShutDown, .shutdown])
    }

    @Test("leaves calls that are given up without an answer, in a batch too, and ends when all others have theirs")
    func givesUp() async throws {
        let events = Recorder<HeldResponder.Event>()
        let responder = HeldResponder { events.record($0) }
        let socket = try ServedSocket { _ in responder }
        let client = try socket.connect()
        client.stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"lost"}"#, .lines))
        client.stream.write(framed(#"{"jsonrpc":"2.0","id":2,"method":"done"}"#, .lines))
        client.stream.write(
            framed(#"[{"jsonrpc":"2.0","id":3,"method":"late one"},{"jsonrpc":"2.0","id":4,"method":"other"}]"#, .lines)
        )
        try await events.values(atLeast: 4)

        socket.server.stop(within: .seconds(60))
        for method in ["lost", "late one"] { responder.reply(method)?.giveUp(.internalError("nobody sees this")) }
        for method in ["done", "other"] { responder.answer(method) }

        try await onThread {
            #expect(client.line() == #"{"jsonrpc":"2.0","id":2,"result":{}}"#)
            #expect(client.line() == #"[{"jsonrpc":"2.0","id":4,"result":{}}]"#)
            #expect(client.line() == nil)
        }
        try await socket.ended.values(atLeast: 1)
        #expect(socket.server.heldBytes == 0)
    }

    @Test("refuses more clients than may be, and serves the next one once a place is free")
    func tooMany() async throws {
        var limits = SocketServer.Limits.patient
        limits.maxConnections = 2
        let ends = Recorder<Bool>()
        let socket = try ServedSocket(limits) { _ in HeldResponder { if $0 == .willShutDown { ends.record(true) } } }
        let clients = try (0..<2).map { _ in try socket.connect() }

        try await onThread {
            let refused = try socket.connect()
            #expect(refused.line()?.contains("2 clients are connected") == true)
            #expect(refused.line() == nil)
            clients[0].stream.close()
        }
        try await ends.values(atLeast: 1)

        try await onThread {
            let next = try socket.connect()
            next.endWriting()
            // Nothing was called, so nothing is answered: it was served, not refused.
            #expect(next.stream.readAll().isEmpty)
        }
    }

    @Test("ends when it is stopped, with every call answered that was read, and takes no more clients")
    func stops() async throws {
        let responder = HeldResponder()
        let calls = Recorder<Bool>()
        let socket = try ServedSocket { _ in
            ClosureResponder { request, reply in
                responder.respond(to: request, reply: reply)
                calls.record(true)
            }
        }
        let (called, idle, cut) = (try socket.connect(), try socket.connect(), try socket.connect())
        cut.stream.write(Array(#"{"jsonrpc":"#.utf8))
        called.stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, .lines))
        try await calls.values(atLeast: 1)

        socket.server.stop(within: .seconds(60))
        try await onThread {
            // Those that have nothing to wait for are over at once.
            #expect(idle.line() == nil)
            #expect(cut.line() == nil)
            #expect(!called.isReadable)
            responder.answer("m")
            #expect(called.line() == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
            #expect(called.line() == nil)
        }
        try await socket.ended.values(atLeast: 1)
    }

    @Test("ends in time when it is stopped, although calls are not answered and answers not read")
    func stopsInTime() async throws {
        let responder = HeldResponder(completesShutdown: false)
        let calls = Recorder<Bool>()
        let large = JSONText(String(repeating: "y", count: 4 << 20))
        let socket = try ServedSocket { _ in
            ClosureResponder { request, reply in
                if request.method == "m" {
                    responder.respond(to: request, reply: reply)
                } else {
                    reply.succeed(with: large)
                }
                calls.record(true)
            }
        }
        let clients = try (0..<20).map { _ in try socket.connect() }
        for (number, client) in clients.enumerated() {
            client.stream.write(
                framed(#"{"jsonrpc":"2.0","id":1,"method":"\#(number % 2 == 0 ? "m" : "large")"}"#, .lines))
        }
        try await calls.values(atLeast: clients.count)

        socket.server.stop(within: .milliseconds(50))
        try await socket.ended.values(atLeast: 1)

        try await onThread { for client in clients { while !client.stream.readSome().isEmpty {} } }
        responder.answer("m")
    }
}

@Suite("What the clients of a server may leave with it together", .timeLimit(.minutes(5)))
struct HeldBytesTests {
    @Test("has those above their share wait while much is kept, and wakes them once there is room")
    func shares() {
        let events = Recorder<HeldBytes.Event>()
        let held = HeldBytes(limit: 4_000, connections: 10) { events.record($0) }
        var flow = FlowControl(limits: ConnectionLimits(), held: held)
        flow.write(101)

        let isFree = flow.admits(isInBatch: false)
        #expect(isFree && !flow.isTooFullForNotifications && flow.mayGather(500))
        held.add(1_001)
        let isCrowded = !flow.admits(isInBatch: false)
        #expect(isCrowded && flow.isTooFullForNotifications && !flow.mayGather(0))
        // The calls of a batch are taken: their answers are read only when all are there.
        let takesBatch = flow.admits(isInBatch: true)
        #expect(takesBatch)
        flow.read(50)
        #expect(!flow.isTooFullForNotifications)
        let isFreeAgain = flow.admits(isInBatch: false)
        #expect(isFreeAgain)

        held.add(3_000)
        held.add(-3_500)
        #expect(events.all == [.exceedsLimit, .hasRoom])
        #expect(held.count == 501)
    }

    @Test("stays within its bound however many send and do not read, and one that reads goes on meanwhile")
    func boundsUnread() async throws {
        var limits = SocketServer.Limits.patient
        limits.maxConnections = 40
        limits.maxHeldBytes = 2 << 20
        let (count, text) = (1_000, String(repeating: "x", count: 2_000))
        let socket = try ServedSocket(limits)
        let clients = try (1..<40).map { _ in try socket.connect() }

        try await onThread {
            let quick = try socket.connect()
            for client in clients {
                Thread.detachNewThread {
                    for number in 0..<count { client.stream.write(ServedClient.echo(number, text)) }
                }
            }
            var isCrowded = 0
            while isCrowded < 300 {
                try #require(quick.call(1) == ServedClient.answer(1))
                let held = socket.server.heldBytes
                // One answer more: what comes next is not read.
                try #require(held <= 2 << 20)
                if held > 512 << 10 { isCrowded += 1 }
            }

            // Nobody was refused, and no answer is lost.
            let complete = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: clients.count) { index in
                if clients[index].readLines(count) == count { complete.add(1, ordering: .relaxed) }
            }
            #expect(complete.load(ordering: .relaxed) == clients.count)
        }
    }

    @Test("refuses the client that keeps the most when more is kept than may be")
    func refusesLargest() async throws {
        var limits = SocketServer.Limits.patient
        limits.maxHeldBytes = 1 << 20
        try await onThread { [limits] in
            let socket = try ServedSocket(limits)
            let sizes = [200_000, 400_000, 250_000]
            let clients = try sizes.map { size in
                let client = try socket.connect()
                client.stream.write(ServedClient.echo(1, String(repeating: "x", count: size)).dropLast())
                return client
            }
            // By now all of that was read: connections have their turns.
            let last = try socket.connect()
            while socket.server.heldBytes < sizes.reduce(0, +) { _ = last.call(1) }

            last.stream.write(Array(ServedClient.echo(2, String(repeating: "x", count: 300_000)).dropLast()))

            let refusal = clients[1].line()
            #expect(
                refusal?.contains("CONNECTION_REFUSED") == true && refusal?.contains("this client's the most") == true)
            #expect(clients[1].line() == nil)
            for (client, id, size) in [(clients[0], 1, 200_000), (clients[2], 1, 250_000), (last, 2, 300_000)] {
                client.stream.write("\n")
                #expect(client.line() == ServedClient.answer(id, String(repeating: "x", count: size)))
            }
        }
    }

    @Test("refuses it in its own framing")
    func refusesInFraming() async throws {
        var limits = SocketServer.Limits.patient
        limits.maxHeldBytes = 1 << 20
        try await onThread { [limits] in
            let socket = try ServedSocket(limits)
            let client = try socket.connect()
            client.stream.write(framed(#"{"jsonrpc":"2.0","method":"update"}"#, .headers))
            client.stream.write("Content-Length: 2000000\r\n\r\n" + String(repeating: " ", count: 1_100_000))

            let header = try #require(client.line())
            #expect(client.line() == "\r")
            let refusal = client.stream.readAll()
            #expect(header == "Content-Length: \(refusal.count)\r")
            #expect(try JSONText(validating: refusal)["error"]?["code"]?.intValue == 1013)
        }
    }

    @Test("bounds large answers, too, and those to batches")
    func boundsLargeAnswers() async throws {
        var limits = SocketServer.Limits.patient
        limits.maxConnections = 40
        limits.maxHeldBytes = 8 << 20
        let large = JSONText(String(repeating: "y", count: 1 << 20))
        let socket = try ServedSocket(limits) { _ in
            ClosureResponder { request, reply in
                reply.succeed(with: request.method == "large" ? large : .emptyObject)
            }
        }
        try await onThread {
            let quick = try socket.connect()
            let call = #"{"jsonrpc":"2.0","id":1,"method":"large"}"#
            let others = try (0..<30).map { number in
                let client = try socket.connect()
                let batch = "[" + Array(repeating: call, count: 6).joined(separator: ",") + "]"
                client.stream.write(framed(number % 2 == 0 ? call : batch, .lines))
                return client
            }

            for _ in 0..<200 {
                quick.stream.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, .lines))
                try #require(quick.line() == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
                // One answer more may be made before somebody is refused.
                try #require(socket.server.heldBytes <= 8 << 20 + 1 << 20)
            }
            let refused = others.filter { $0.readLines(1) == 0 }
            #expect(refused.count < others.count)
        }
    }
}
