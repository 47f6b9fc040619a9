import TrackerJSON

enum Answer {
    /// Appends an answer with a result.
    ///
    /// - Parameters:
    ///   - id: The id as the call spelled it.
    ///   - write: Appends one JSON value.
    static func append(id: [UInt8], to bytes: inout [UInt8], result write: (inout [UInt8]) -> Void) {
        append(#","result":"#, id: id, to: &bytes, write)
    }

    /// Appends an answer with an error.
    ///
    /// - Parameter id: The id as the call spelled it.
    static func append(_ failure: RPCError, id: [UInt8], to bytes: inout [UInt8]) {
        append(#","error":"#, id: id, to: &bytes) { $0 += failure.json.bytes }
    }

    private static func append(
        _ name: StaticString, id: [UInt8], to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void
    ) {
        bytes.append(text: #"{"jsonrpc":"2.0","id":"#)
        bytes += id
        bytes.append(text: name)
        write(&bytes)
        bytes.append(UInt8(ascii: "}"))
    }
}
