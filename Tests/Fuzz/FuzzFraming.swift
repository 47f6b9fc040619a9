// Streams of bytes, cut into reads in several ways: the decoder takes the same messages from each, and the parser makes
// something of every message.

import TrackerJSON

@testable import JSONRPC

private let maxMessageBytes = 48

/// What a stream held.
private enum Piece: Equatable {
    case message([UInt8])
    case refused(FramingFault)
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFraming(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let stream = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let whole = pieces(of: stream, cutting: stream.count)
    for size in [1, 2, 3, 7, 31] where size < stream.count {
        precondition(pieces(of: stream, cutting: size) == whole, "other messages from reads of \(size)")
    }
    var parser = MessageParser(maxBatchCalls: 4)
    for case .message(let bytes) in whole {
        precondition(bytes.count <= maxMessageBytes, "a message above the limit")
        parse(bytes, with: &parser)
    }
    return 0
}

private func pieces(of stream: [UInt8], cutting size: Int) -> [Piece] {
    var decoder = FrameDecoder(maxMessageBytes: maxMessageBytes)
    var pieces: [Piece] = []
    for start in stride(from: 0, to: stream.count, by: max(1, size)) {
        let read = Array(stream[start..<min(start + size, stream.count)])
        var position = 0
        while let frame = decoder.next(in: read, from: &position) { pieces.append(piece(frame, of: read)) }
        precondition(position == read.count, "a read was not used up")
    }
    if let frame = decoder.finish() { pieces.append(piece(frame, of: [])) }
    return pieces
}

private func piece(_ frame: Frame, of read: [UInt8]) -> Piece {
    switch frame {
    case .within(let range): .message(Array(read[range]))
    case .collected(let bytes): .message(bytes)
    case .refused(let fault): .refused(fault)
    }
}

private func parse(_ bytes: [UInt8], with parser: inout MessageParser) {
    switch parser.message(bytes, in: 0..<bytes.count) {
    case .call(let call): check(call)
    case .batch(let ranges):
        precondition(!ranges.isEmpty && ranges.count <= 4, "a batch of \(ranges.count)")
        for range in ranges { check(parser.call(bytes, in: range)) }
    }
}

private func check(_ call: Call) {
    guard let id = call.id else { return }
    precondition((try? JSONText(validating: id)) != nil, "an id that is no JSON")
}
