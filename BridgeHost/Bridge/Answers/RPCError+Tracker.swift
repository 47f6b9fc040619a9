public import JSONRPC
public import TrackerModels

extension TrackerError: RPCErrorConvertible {
    /// The error with its number, its code unchanged, and the reason why no session was made.
    public var rpcError: RPCError {
        RPCError(
            RPCError.Number(code), code: code.rawValue, message: ConfigKeys.named(in: message),
            isRetryable: isRetryable, details: cause?.details ?? []
        )
    }
}

extension RPCError {
    /// A call that the disk has not taken before the host had to end.
    static let notTaken = TrackerError(
        .storage, "The host ends, and the disk has not taken the call. It may be sent again."
    ).rpcError
}

extension RPCError.Number {
    /// The numbers of the native API's errors: outside the range that JSON-RPC reserves, where client libraries throw
    /// `data` away.
    private static let numbers: [TrackerError.Code: Int] = [
        .invalidBrandId: 1001, .invalidConfiguration: 1002, .sessionCreationFailed: 1003, .serializationFailed: 1004,
        .networkError: 1005, .initializationFailed: 1006, .invalidAPIKey: 1007, .invalidEndpoint: 1008, .storage: 1009,
    ]

    /// The number of a code; any that has none is INIT_ERROR's.
    init(_ code: TrackerError.Code) {
        self.init(rawValue: Self.numbers[code] ?? 1006)
    }
}

extension TrackerError {
    /// Whether the same call may succeed later.
    fileprivate var isRetryable: Bool {
        switch (code, cause) {
        case (.storage, _), (.networkError, _): true
        case (.sessionCreationFailed, .status(let status)?): status >= 500 || status == 408 || status == 429
        case (.sessionCreationFailed, _): true
        default: false
        }
    }
}

extension TrackerError.Cause {
    /// The cause as members of `data`.
    fileprivate var details: [RPCError.Detail] {
        switch self {
        case .network(let reason):
            [RPCError.Detail("cause", TrackerError.Code.networkError.rawValue), RPCError.Detail("reason", reason)]
        case .status(let status): [RPCError.Detail("status", JSONText(number: status))]
        case .unreadableAnswer: [RPCError.Detail("cause", "unreadable answer")]
        case .timeout: [RPCError.Detail("cause", "timeout")]
        case .shutdown: [RPCError.Detail("cause", "shutdown")]
        }
    }
}
