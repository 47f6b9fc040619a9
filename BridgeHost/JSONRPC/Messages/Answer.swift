import TrackerJSON

/// Writes answers without building them first.
enum Answer {
    private static let prefix = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    private static let result = Array(",\"result\":".utf8)
    private static let error = Array(",\"error\":".utf8)
    private static let suffix = Array("}".utf8)

    /// The parts of an answer, in order.
    ///
    /// - Parameters:
    ///   - outcome: A result or an error.
    ///   - id: The id as the call spelled it.
    static func parts(_ outcome: Result<JSONText, RPCError>, id: [UInt8]) -> [[UInt8]] {
        switch outcome {
        case .success(let text): [prefix, id, result, text.bytes, suffix]
        case .failure(let failure): [prefix, id, error, failure.json.bytes, suffix]
        }
    }
}
