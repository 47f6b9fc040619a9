import TrackerCore
import TrackerModels

extension JSONText {
    /// A whole number.
    init(number: Int) {
        self.init(accepted: Array(String(number).utf8))
    }

    /// `{}`, the result of what only succeeds or fails.
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

    /// A tree as text; `{}` if it is nested too deeply, which nothing of ours is.
    init(tree: JSONObject) {
        self = (try? JSONText(tree)) ?? .emptyObject
    }
}

extension TrackOutcome {
    /// `{"status":"queued","messageId":"…"}`, or `{"status":"dropped","reason":"…"}`.
    var json: JSONText {
        var object = JSONObjectWriter(reservingCapacity: 96)
        switch self {
        case .queued(let id):
            object.append("status", "queued")
            object.append("messageId", id.text)
        case .pending(let id):
            object.append("status", "pending")
            object.append("messageId", id.text)
        case .dropped(let reason):
            object.append("status", "dropped")
            object.append("reason", reason.rawValue)
        }
        return object.finish()
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
