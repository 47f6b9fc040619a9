package import TrackerJSON

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
