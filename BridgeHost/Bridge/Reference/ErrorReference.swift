import JSONRPC
package import TrackerModels

/// An error that methods answer with, as the references describe it.
package struct ErrorReference: Sendable {
    /// What stands in `data.code`.
    package let code: String
    /// The error's `code`.
    package let number: Int
    package let summary: String

    package init(_ code: TrackerError.Code, _ summary: String) {
        self.code = code.rawValue
        number = RPCError.Number(code).rawValue
        self.summary = summary
    }

    private init(_ error: RPCError, _ summary: String) {
        code = error.code
        number = error.number.rawValue
        self.summary = summary
    }

    /// The errors of methods, and those that JSON-RPC defines.
    package static let all = [
        ErrorReference(.invalidBrandId, "The brand ID is missing, empty or not a number."),
        ErrorReference(.invalidConfiguration, "A key of the configuration is missing, unknown or out of range."),
        ErrorReference(.sessionCreationFailed, "The backend made no session; data.status or data.cause says why."),
        ErrorReference(.initializationFailed, "Initialisation failed for another reason."),
        ErrorReference(.invalidAPIKey, "The API key is missing, empty or not printable."),
        ErrorReference(.invalidEndpoint, "The endpoint is missing or not a usable URL."),
        ErrorReference(.storage, "The state folder cannot be used."),
        ErrorReference(.invalidValue, "An id is missing, blank or too long."),
        ErrorReference(.notInitialized, "The client is not initialised."),
        ErrorReference(.listFull, "The list of persons to forget is full."),
        ErrorReference(.notAdmitted(""), "An agent does not serve the connection, and closes it."),
        ErrorReference(.invalidParams(""), "Wrong number, name or type of params; the message names the param."),
        ErrorReference(.methodNotFound(""), "There is no such method."),
        ErrorReference(.invalidRequest(""), "The message is JSON, and no request."),
        ErrorReference(.parseError(""), "The message is not JSON."),
        ErrorReference(.internalError(""), "A defect of the host, not of the caller."),
        ErrorReference(.messageTooLarge(limit: 0), "The message is longer than `--max-message-bytes`; it is skipped."),
    ]
}
