import JSONRPC
import TestSupport
import Testing

@Suite("FrameDecoder")
struct FrameDecoderTests {
    enum Piece: Hashable, Sendable {
        case message(String)
        case refused(FramingFault)
    }

    struct Stream: Sendable, CustomTestStringConvertible {
        var title: String
        var bytes: [UInt8]
        var pieces: [Piece]
        var maxMessageBytes = 64

        init(_ title: String, _ text: String, _ pieces: [Piece], maxMessageBytes: Int = 64) {
            self.title = title
            self.bytes = Array(text.utf8)
            self.pieces = pieces
            self.maxMessageBytes = maxMessageBytes
        }

        var testDescription: String { title }
    }

    static let tooLarge = Piece.refused(.tooLarge(limit: 64))
    static let badHeader = Piece.refused(.badHeader)
    static let long = String(repeating: "x", count: 65)

    static let streams = [
        Stream("nothing", "", []),
        Stream("blanks alone", " \r\n\t\n", []),
        Stream("lines", "{1}\n{2}\n[3]\n", [.message("{1}"), .message("{2}"), .message("[3]")]),
        Stream("lines that end in CRLF", "{1}\r\n{2}\r\n", [.message("{1}"), .message("{2}")]),
        Stream("blank lines between others", "\n\r\n{1}\n \t\n\r\n{2}\n", [.message("{1}"), .message("{2}")]),
        Stream("a last line without an end", "{1}\n{2}", [.message("{1}"), .message("{2}")]),
        Stream("a line of words before good ones", "oops\n{1}\n", [.message("oops"), .message("{1}")]),
        Stream(
            "a line of words with a space and a colon", "no header: x\n{1}\n",
            [
                .message("no header: x"), .message("{1}"),
            ]),
        Stream(
            "a byte order mark and a line", "\u{FEFF}{1}\n\u{FEFF}{2}\n", [.message("{1}"), .message("\u{FEFF}{2}")]),
        Stream("a byte order mark and headers", "\u{FEFF}\r\nContent-Length: 3\r\n\r\n{1}", [.message("{1}")]),
        Stream("a byte order mark alone", "\u{FEFF}", []),
        Stream(
            "a character that begins like a byte order mark", "\u{FEFE}: 1\n{1}\n",
            [.message("\u{FEFE}: 1"), .message("{1}")]),
        Stream("letters without an end", "oops", [.message("oops")]),
        Stream("a word longer than any header's name", "\(long):\n{1}\n", [tooLarge, .message("{1}")]),
        Stream(
            "a line as long as allowed", "[\(long.prefix(63))\r\n{1}\n",
            [
                .message("[\(long.prefix(63))"), .message("{1}"),
            ]),
        Stream("a line longer than allowed", "[\(long)\r\n{1}\n", [tooLarge, .message("{1}")]),
        Stream(
            "a line longer than allowed by a carriage return inside", "[\(long.prefix(62))\rx\n{1}\n",
            [
                tooLarge, .message("{1}"),
            ]),
        Stream("a last line longer than allowed", "{1}\n[\(long)", [.message("{1}"), tooLarge]),
        Stream("NUL, and bytes that are no text", "\u{0}\n\u{7F}\n", [.message("\u{0}"), .message("\u{7F}")]),

        Stream(
            "headers", "Content-Length: 3\r\n\r\n{1}Content-Length: 3\r\n\r\n{2}",
            [
                .message("{1}"), .message("{2}"),
            ]),
        Stream(
            "headers in any case and order",
            """
            content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:3\r\n\r\n{1}\
            x-other: : y\r\ncOnTeNt-LeNgTh  : \t 0003 \r\n\r\n{2}
            """, [.message("{1}"), .message("{2}")]),
        Stream(
            "headers that end in LF", "Content-Length: 3\n\n{1}Content-Length: 3\n\n{2}",
            [
                .message("{1}"), .message("{2}"),
            ]),
        Stream(
            "blank lines around headers", "\r\n\nContent-Length: 3\r\n\r\n{1}\r\n\nContent-Length: 3\r\n\r\n{2}\n",
            [
                .message("{1}"), .message("{2}"),
            ]),
        Stream(
            "a body that looks like headers",
            """
            Content-Length: 24\r\n\r\nContent-Length: 3\r\n\r\n{1}Content-Length: 3\r\n\r\n{2}
            """, [.message("Content-Length: 3\r\n\r\n{1}"), .message("{2}")]),
        Stream(
            "an empty body", "Content-Length: 0\r\n\r\nContent-Length: 3\r\n\r\n{1}", [.message(""), .message("{1}")]),
        Stream("the same length twice", "Content-Length: 3\r\nContent-Length: 3\r\n\r\n{1}", [.message("{1}")]),
        Stream(
            "two lengths",
            """
            Content-Length: 3\r\nContent-Length: 4\r\n\r\n{1}Content-Length: 3\r\n\r\n{2}
            """, [badHeader, .message("{2}")]),
        Stream(
            "a negative length",
            """
            Content-Length: -3\r\n\r\n{1}Content-Length: 3\r\n\r\n{2}
            """, [badHeader, .message("{2}")]),
        Stream(
            "a length that is no number",
            """
            Content-Length: 3x\r\n\r\n{1}Content-Length: 0x3\r\n\r\n{2}Content-Length: 3\r\n\r\n{3}
            """, [badHeader, .message("{3}")]),
        Stream(
            "a length that no integer holds",
            """
            Content-Length: 9223372036854775808\r\n\r\n{1}Content-Length: 18446744073709551619\r\n\r\n{2}\
            \nContent-Length: 3\r\n\r\n{3}
            """, [badHeader, .message("{3}")]),
        Stream("no length", "Content-Type: x\r\n\r\n{1}\nContent-Length: 3\r\n\r\n{2}", [badHeader, .message("{2}")]),
        Stream("a line among headers that is none", "Content-Length: 3\r\nwhat\r\n\r\n{1}", [.message("{1}")]),
        Stream(
            "a line instead of headers", "Content-Length: 3\r\n\r\n{1}{2}\n{3}\nContent-Length: 3\r\n\r\n{4}",
            [
                .message("{1}"), badHeader, .message("{4}"),
            ]),
        Stream(
            "a length too small by two", "Content-Length: 3\r\n\r\n[[1]]Content-Length: 3\r\n\r\n{2}",
            [
                .message("[[1"), badHeader, .message("{2}"),
            ]),
        Stream(
            "a length too large by two",
            """
            Content-Length: 5\r\n\r\n{1}Content-Length: 3\r\n\r\n{2}Content-Length: 3\r\n\r\n{3}
            """, [.message("{1}Co"), badHeader, .message("{3}")]),
        Stream(
            "a header inside a string after a bad length",
            """
            Content-Length: x\r\n\r\n{"a":"Content-Length: 3\\r\\n\\r\\n{1}"}Content-Length: 3\r\n\r\n{2}
            """, [badHeader, .message("{2}")]),
        Stream(
            "a header whose name only ends like the right one, after a bad length",
            """
            Content-Length: x\r\n\r\nX-Content-Length: 3\r\n\r\n{1}\r\nContent-Length: 3\r\n\r\n{2}
            """, [badHeader, .message("{2}")]),
        Stream(
            "a body longer than allowed",
            """
            Content-Length: 65\r\n\r\n\(long)Content-Length: 64\r\n\r\n\(long.prefix(64))
            """, [tooLarge, .message(String(long.prefix(64)))]),
        Stream(
            "a body so long that it never ends", "Content-Length: 9223372036854775807\r\n\r\n{1}\n{2}\n", [tooLarge]),
        Stream(
            "a header longer than any",
            """
            X: \(String(repeating: "x", count: 17 << 10))\r\nContent-Length: 3\r\n\r\n{1}
            """, [badHeader, .message("{1}")]),
        Stream(
            "more headers than any",
            """
            \(String(repeating: "X: y\r\n", count: 3 << 10))Content-Length: 3\r\n\r\n{1}
            """, [badHeader, .message("{1}")]),
        Stream(
            "an end inside a header", "Content-Length: 3\r\n\r\n{1}Content-Le",
            [
                .message("{1}"), .refused(.truncated),
            ]),
        Stream("an end after headers", "Content-Length: 3\r\n\r\n", [.refused(.truncated)]),
        Stream("an end inside a body", "Content-Length: 3\r\n\r\n{1", [.refused(.truncated)]),
    ]

    @Test("takes the messages from", arguments: streams)
    func takes(_ stream: Stream) {
        #expect(decoded([stream.bytes], stream.maxMessageBytes) == stream.pieces)
    }

    @Test("takes the same messages from every two pieces of", arguments: streams)
    func takesTwoPieces(_ stream: Stream) {
        let count = stream.bytes.count
        // Of the longest streams, the beginning, the end, and where headers become too many.
        let cuts = Array(0...count).filter { $0 < 150 || $0 > count - 100 || abs($0 - 16 << 10) < 5 }
        for cut in cuts {
            let pieces = [Array(stream.bytes[..<cut]), Array(stream.bytes[cut...])]
            #expect(decoded(pieces, stream.maxMessageBytes) == stream.pieces, "cut at \(cut)")
        }
    }

    @Test("takes the same messages byte by byte from", arguments: streams)
    func takesBytes(_ stream: Stream) {
        #expect(decoded(stream.bytes.map { [$0] }, stream.maxMessageBytes) == stream.pieces)
    }

    @Test("takes the same messages from any pieces of", arguments: streams)
    func takesManyPieces(_ stream: Stream) {
        let seed = Seeds.base()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var pieces: [[UInt8]] = []
            var rest = stream.bytes[...]
            while !rest.isEmpty {
                pieces.append(Array(rest.prefix(Int.random(in: 1...40, using: &generator))))
                rest = rest.dropFirst(pieces.last?.count ?? 0)
            }
            #expect(decoded(pieces, stream.maxMessageBytes) == stream.pieces, "seed \(seed)")
        }
    }

    @Test("never fails on noise, and takes the same from any pieces of it")
    func survivesNoise() {
        let seed = Seeds.base()
        var generator = SeededGenerator(seed: seed)
        let words = [
            "Content-Length", ": ", "3", "-", "99999999999999999999", "\r\n", "\n", "{1}", "}", "x", "\u{0}", " ",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...30, using: &generator)
            let text = (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }.joined()
            let whole = decoded([Array(text.utf8)], 64)
            #expect(decoded(text.utf8.map { [$0] }, 64) == whole, "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test(
        "keeps the framing of the first message",
        arguments: [
            ("{", Framing.lines), ("[", .lines), (" \n7", .lines), ("\u{0}", .lines), ("oops\n", .lines),
            ("a b", .lines),
            ("C:", .headers), ("\r\n content-length:", .headers), ("X-Y:", .headers),
        ])
    func decides(_ text: String, _ framing: Framing) {
        var decoder = FrameDecoder(maxMessageBytes: 64)
        var position = 0

        _ = decoder.next(in: Array(text.utf8), from: &position)

        #expect(decoder.framing == framing)
    }

    @Test("does not know the framing before it can tell", arguments: ["", " ", "\r\n", "Conten"])
    func waits(_ text: String) {
        var decoder = FrameDecoder(maxMessageBytes: 64)
        var position = 0

        _ = decoder.next(in: Array(text.utf8), from: &position)

        #expect(decoder.framing == nil)
    }

    private func decoded(_ pieces: [[UInt8]], _ maxMessageBytes: Int) -> [Piece] {
        var decoder = FrameDecoder(maxMessageBytes: maxMessageBytes)
        var result: [Piece] = []
        func take(_ frame: Frame, _ input: [UInt8]) {
            switch frame {
            case .within(let range): result.append(.message(String(decoding: input[range], as: UTF8.self)))
            case .collected(let bytes): result.append(.message(String(decoding: bytes, as: UTF8.self)))
            case .refused(let fault): result.append(.refused(fault))
            }
        }
        for piece in pieces {
            var position = 0
            while let frame = decoder.next(in: piece, from: &position) { take(frame, piece) }
        }
        if let frame = decoder.finish() { take(frame, []) }
        return result
    }
}
