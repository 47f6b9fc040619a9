import TrackerCore
import TrackerModels

extension JSONText {
    /// A whole number.
    init(number: Int) {
        self.init(accepted: Array(String(number).utf8))
    }

    /// `{}`, the result of a method that only succeeds or fails.
    static let done = JSONText.emptyObject

    /// An object with one member, `null` if there is no value.
    static func object(_ name: String, _ value: String?) -> JSONText {
        var object = JSONObjectWriter()
        if let value { object.append(name, value) } else { object.appendNull(name) }
        return object.finish()
    }

    /// An object with one member.
    static func object(_ name: String, _ value: Bool) -> JSONText {
        var object = JSONObjectWriter()
        object.append(name, value)
        return object.finish()
    }

    /// A tree as text; `{}` if it is nested too deeply, which no result is.
    init(tree: JSONObject) {
        self = (try? JSONText(tree)) ?? .emptyObject
    }
}

extension TrackOutcome {
    /// `{"status":"queued","messageId":"…"}`, or `{"status":"dropped","reason":"…"}`.
    var json: JSONText {
        switch self {
        case .queued(let id): Self.object(Self.queued, id.text)
        case .pending(let id): Self.object(Self.pending, id.text)
        case .dropped(let reason): Self.object(Self.dropped, reason.rawValue)
        }
    }

    private static let queued = Array(#"{"status":"queued","messageId":"#.utf8)
    private static let pending = Array(#"{"status":"pending","messageId":"#.utf8)
    private static let dropped = Array(#"{"status":"dropped","reason":"#.utf8)

    /// An object whose last value alone varies: every call is answered with one.
    private static func object(_ start: [UInt8], _ last: String) -> JSONText {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(96)
        bytes += start
        JSONEscape.append(last, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return JSONText(accepted: bytes)
    }
}

extension FlushReport {
    /// `{"delivered":…,"remaining":…,"stoppedBy":…}`, the last only if something remains.
    var json: JSONText {
        var object = JSONObjectWriter()
        object.append("delivered", Int64(delivered))
        object.append("remaining", Int64(remaining))
        if let stoppedBy { object.append("stoppedBy", stoppedBy.rawValue) }
        return object.finish()
    }
}
