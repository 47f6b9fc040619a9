package import TrackerJSON

enum Answer {
    private static let prefix = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    private static let result = Array(",\"result\":".utf8)
    private static let error = Array(",\"error\":".utf8)

    /// An answer as JSON.
    ///
    /// - Parameters:
    ///   - outcome: A result or an error.
    ///   - id: The id as the call spelled it.
    static func bytes(_ outcome: Result<JSONText, RPCError>, id: [UInt8]) -> [UInt8] {
        switch outcome {
        case .success(let text): bytes(result, reservingCapacity: text.byteCount, id: id) { $0 += text.bytes }
        case .failure(let failure): bytes(error, reservingCapacity: 256, id: id) { $0 += failure.json.bytes }
        }
    }

    /// An answer with a result that is written straight into it.
    ///
    /// - Parameters:
    ///   - capacity: About how many bytes it has.
    ///   - id: The id as the call spelled it.
    ///   - write: Appends one JSON value.
    static func bytes(reservingCapacity capacity: Int, id: [UInt8], result write: (inout [UInt8]) -> Void) -> [UInt8] {
        bytes(result, reservingCapacity: capacity, id: id, write)
    }

    private static func bytes(
        _ name: [UInt8], reservingCapacity capacity: Int, id: [UInt8], _ write: (inout [UInt8]) -> Void
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.count + id.count + name.count + capacity + 1)
        bytes += prefix
        bytes += id
        bytes += name
        write(&bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
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
