package import JSONRPC
import TrackerCore
package import TrackerModels

extension JSONText {
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

    static func object(_ name: String, _ value: Bool) -> JSONText {
        var object = JSONObjectWriter()
        object.append(name, value)
        return object.finish()
    }

    /// A result as text. What it holds of a caller's may be nested as deeply as a call may be, and stands deeper here.
    init(tree: JSONObject) {
        self = (try? JSONText(.object(tree), deeperBy: Self.levelsOfResults)) ?? .emptyObject
    }

    /// How much deeper a caller's values stand in results than in calls.
    private static var levelsOfResults: Int { 16 }
}

extension CallAnswer {
    /// `{"status":"queued","messageId":"…"}`, or `{"status":"dropped","reason":"…","fault":{…}}`.
    var json: JSONText {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return JSONText(accepted: bytes)
    }

    /// Appends that.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .success(.queued(let id)): Self.append(#"{"status":"queued","messageId":"#, id.text, to: &bytes)
        case .success(.pending(let id)): Self.append(#"{"status":"pending","messageId":"#, id.text, to: &bytes)
        case .success(.dropped(let reason)): bytes += Refusal(reason).json.bytes
        case .failure(let refusal): bytes += refusal.json.bytes
        }
    }

    /// Whether the client's end was first.
    var isCut: Bool {
        switch self {
        case .success(.dropped(let reason)): reason == .notInitialized
        case .failure(let refusal): refusal.reason == .notInitialized
        case .success(.queued), .success(.pending): false
        }
    }

    /// Appends an object whose last value alone varies: every call is answered with one.
    private static func append(_ start: StaticString, _ last: String, to bytes: inout [UInt8]) {
        bytes.append(text: start)
        JSONEscape.append(last, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension Refusal {
    /// Params that cannot be passed on.
    static func ofParams(_ fault: ValueFault) -> Refusal {
        Refusal(.serialization, FaultWord(rawValue: fault.rawValue), fault.facts)
    }

    fileprivate var json: JSONText {
        var object: JSONObject = ["status": "dropped"]
        object.merge(members)
        return JSONText(tree: object)
    }

    /// The reason and, if it does not say all, what is wrong.
    var members: JSONObject {
        guard let word else { return ["reason": .string(reason.rawValue)] }
        var fault: JSONObject = ["reason": .string(word.rawValue)]
        fault.merge(facts)
        return ["reason": .string(reason.rawValue), "fault": .object(fault)]
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

extension ForgetReport {
    /// `{"erased":…,"deliveredOfAnyone":…}`
    var json: JSONText {
        var object = JSONObjectWriter()
        object.append("erased", Int64(erased))
        object.append("deliveredOfAnyone", Int64(deliveredOfAnyone))
        return object.finish()
    }
}

extension TrackerError: RPCErrorConvertible {
    /// The error with its number, its code unchanged, the reason why no session was made, and the option at fault.
    package var rpcError: RPCError {
        RPCError(
            RPCError.Number(code), code: code.rawValue, message: inJSON.message, isRetryable: isRetryable,
            details: (cause?.details ?? []) + (fault?.details ?? []) + adviceDetails
        )
    }

    /// Why the backend made no session, and what to do, as members of `data`.
    private var adviceDetails: [RPCError.Detail] {
        guard let noSession else { return [] }
        return [RPCError.Detail("why", noSession.why), RPCError.Detail("advice", noSession.advice.rawValue)]
    }

    /// The same error with the option's name in JSON.
    var inJSON: TrackerError {
        var error = self
        error.message = message(naming: \.key)
        return error
    }
}

extension RPCError {
    /// A call that the disk has not taken before the host had to end.
    static let notTaken = TrackerError(
        .storage, "The host ends, and the disk has not taken the call. It may be sent again."
    ).rpcError

    /// Whether the client's end was first.
    var isCut: Bool { number == Number(.notInitialized) || details.contains(TrackerError.Cause.shutdownDetail) }
}

extension RPCError.Number {
    /// The numbers of the native API's errors: outside the range that JSON-RPC reserves, where client libraries throw
    /// `data` away. 1013 is ``connectionRefused``.
    init(_ code: TrackerError.Code) {
        let number =
            switch code {
            case .invalidBrandId: 1001
            case .invalidConfiguration: 1002
            case .sessionCreationFailed: 1003
            case .serializationFailed: 1004
            case .networkError: 1005
            case .initializationFailed: 1006
            case .invalidAPIKey: 1007
            case .invalidEndpoint: 1008
            case .storage: 1009
            case .invalidValue: 1010
            case .notInitialized: 1011
            case .listFull: 1012
            }
        self.init(rawValue: number)
    }
}

extension TrackerError {
    /// Whether the same call may succeed later.
    fileprivate var isRetryable: Bool {
        switch (code, cause) {
        case (.storage, _), (.networkError, _): true
        case (.sessionCreationFailed, .status(let status)?): status >= 500 || status == 408 || status == 429
        case (.sessionCreationFailed, _): true
        case (.initializationFailed, _): isPassing
        default: false
        }
    }
}

extension OptionFault {
    /// What is wrong, the option and the limits, as members of `data`.
    fileprivate var details: [RPCError.Detail] {
        [RPCError.Detail("reason", reason.word.rawValue)]
            + facts.compactMap { name, value in
                // A fact is never nested too deeply.
                (try? JSONText(value)).map { RPCError.Detail(name, $0) }
            }
    }
}

extension TrackerError.Cause {
    fileprivate static let shutdownDetail = RPCError.Detail("cause", "shutdown")

    /// The cause as members of `data`.
    fileprivate var details: [RPCError.Detail] {
        switch self {
        // What went wrong is `why`.
        case .network: [RPCError.Detail("cause", TrackerError.Code.networkError.rawValue)]
        case .status(let status): [RPCError.Detail("status", JSONText(number: status))]
        case .unreadableAnswer: [RPCError.Detail("cause", "unreadable answer")]
        case .timeout: [RPCError.Detail("cause", "timeout")]
        case .shutdown: [Self.shutdownDetail]
        // No task of the host waits for an `initialize`.
        case .cancelled: [RPCError.Detail("cause", "cancelled")]
        }
    }
}
