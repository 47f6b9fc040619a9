package import TrackerJSON

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

package struct Notification: Hashable, Sendable {
    package let method: String
    /// What it says: an array or object.
    package let params: JSONText

    package init(_ method: String, _ params: JSONText) {
        assert(params.kind == .object || params.kind == .array, "JSON-RPC knows no other params")
        self.method = method
        self.params = params
    }

    /// Tells how many notifications were left out because the client did not read.
    static func lost(_ count: Int) -> Notification {
        Notification("$/lost", JSONText(accepted: Array("{\"count\":\(count)}".utf8)))
    }

    var message: [UInt8] {
        var message = Array("{\"jsonrpc\":\"2.0\",\"method\":".utf8)
        message += JSONText(method).bytes
        message += ",\"params\":".utf8
        message += params.bytes
        message.append(UInt8(ascii: "}"))
        return message
    }
}
