package import TrackerJSON

/// An error that says how it is answered.
package protocol RPCErrorConvertible: Error {
    /// The error as JSON-RPC answers it.
    var rpcError: RPCError { get }
}

/// An error as JSON-RPC answers it.
///
/// Client libraries use the number, people the code. The code is in `data`, where no library replaces it.
package struct RPCError: RPCErrorConvertible, Hashable, Sendable {
    /// The number of an error.
    ///
    /// JSON-RPC reserves -32768 to -32000; an application's own lie outside.
    package struct Number: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The message is not JSON.
        package static let parseError = Number(rawValue: -32700)
        /// The message is JSON, and no request.
        package static let invalidRequest = Number(rawValue: -32600)
        package static let methodNotFound = Number(rawValue: -32601)
        /// The method does not take these params.
        package static let invalidParams = Number(rawValue: -32602)
        /// A defect of the server, not of the caller.
        package static let internalError = Number(rawValue: -32603)
        /// The server does not serve this client. An application gives this number to no error of its own.
        package static let connectionRefused = Number(rawValue: 1013)
    }

    /// The number, given as `code`.
    package var number: Number
    /// What went wrong, as a stable word, given as `data.code`.
    package var code: String
    /// A sentence for a developer.
    ///
    /// It must not hold secrets.
    package var message: String
    /// Whether the same call may succeed later, given as `data.retryable`.
    package var isRetryable: Bool
    /// Further members of `data`, in this order.
    ///
    /// They must not be named `code` or `retryable`.
    package var details: [Detail]

    /// A further member of `data`.
    package struct Detail: Hashable, Sendable {
        package let name: String
        package let value: JSONText

        package init(_ name: String, _ value: JSONText) {
            self.name = name
            self.value = value
        }

        /// Makes a member that is a string.
        package init(_ name: String, _ value: String) {
            self.init(name, JSONText(value))
        }
    }

    /// - Parameters:
    ///   - number: The number.
    ///   - code: The stable word.
    ///   - message: A sentence for a developer.
    ///   - isRetryable: Whether the same call may succeed later.
    ///   - details: Further members of `data`.
    package init(
        _ number: Number, code: String, message: String, isRetryable: Bool = false, details: [Detail] = []
    ) {
        self.number = number
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.details = details
    }

    package var rpcError: RPCError { self }

    /// The error as an object, as it stands in an answer.
    package var json: JSONText {
        var text = "{\"code\":\(number.rawValue),\"message\":\(JSONText(message))"
        text += ",\"data\":{\"code\":\(JSONText(code)),\"retryable\":\(isRetryable)"
        for detail in details { text += ",\(JSONText(detail.name)):\(detail.value)" }
        return JSONText(accepted: Array((text + "}}").utf8))
    }
}

extension RPCError {
    /// The message is not JSON.
    ///
    /// - Parameter detail: What is wrong with it and where; given as `data.detail`.
    package static func parseError(_ detail: String) -> RPCError {
        RPCError(.parseError, code: "PARSE_ERROR", message: "Parse error", details: [Detail("detail", detail)])
    }

    /// The message is JSON, and no request.
    ///
    /// - Parameter detail: What it lacks; given as `data.detail`.
    package static func invalidRequest(_ detail: String) -> RPCError {
        RPCError(
            .invalidRequest, code: "INVALID_REQUEST", message: "Invalid Request", details: [Detail("detail", detail)]
        )
    }

    /// There is no such method.
    ///
    /// - Parameters:
    ///   - method: The name that was called. `data.detail` has it, cut if it is long.
    ///   - nearest: A method with a similar name.
    package static func methodNotFound(_ method: String, nearest: String? = nil) -> RPCError {
        var detail = "There is no method '\(method.prefix(80))'."
        if let nearest { detail += " Did you mean '\(nearest)'?" }
        return RPCError(
            .methodNotFound, code: "METHOD_NOT_FOUND", message: "Method not found", details: [Detail("detail", detail)]
        )
    }

    /// The method does not take these params.
    ///
    /// - Parameters:
    ///   - message: A sentence that names the method.
    ///   - method: The method; in `data` as well.
    ///   - param: The name of the param that is wrong, if it is one; in `data`.
    package static func invalidParams(_ message: String, of method: String? = nil, param: String? = nil) -> RPCError {
        let facts = [("method", method), ("param", param)].compactMap { name, value in value.map { Detail(name, $0) } }
        return RPCError(.invalidParams, code: "INVALID_PARAMS", message: message, details: facts)
    }

    /// Whether the message names the method that was called.
    package var namesMethod: Bool { details.contains { $0.name == "method" } }

    /// The method does not take this value of a param.
    ///
    /// - Parameters:
    ///   - param: Its name; `nil`: the params as a whole are wrong.
    ///   - word: What is wrong, as a stable word; in `data.fault` with the facts.
    ///   - sentence: The same in words.
    static func invalidParam(
        _ param: String?, of method: String, _ word: String, _ facts: JSONObject, _ sentence: String
    ) -> RPCError {
        let message = TextTemplate.filled(invalidParamText, ["method": .string(method), "fault": .string(sentence)])
        var error = invalidParams(message, of: method, param: param)
        var fault: JSONObject = ["reason": .string(word)]
        fault.merge(facts)
        if let fault = try? JSONText(fault) { error.details.append(Detail("fault", fault)) }
        return error
    }

    /// The sentence about a value, a ``TextTemplate``.
    package static let invalidParamText = "{method}: {fault}"

    /// A defect of the server, not of the caller.
    ///
    /// - Parameter message: A sentence for a developer.
    package static func internalError(_ message: String) -> RPCError {
        RPCError(.internalError, code: "INTERNAL_ERROR", message: message)
    }

    /// The client has not read what it was answered before.
    static let tooMuchUnread: RPCError = {
        var error = internalError("This answer has no room. Read the answers that were sent before it, then ask again.")
        error.isRetryable = true
        return error
    }()

    /// The message is longer than allowed.
    ///
    /// - Parameter limit: How long a message may be, in bytes.
    package static func messageTooLarge(limit: Int) -> RPCError {
        RPCError(
            .invalidRequest, code: "MESSAGE_TOO_LARGE", message: "The message is longer than \(limit) bytes",
            details: [Detail("limit", JSONText(accepted: Array(String(limit).utf8)))]
        )
    }

    /// The answer to bytes that are no message.
    init(_ fault: FramingFault) {
        switch fault {
        case .tooLarge(let limit): self = .messageTooLarge(limit: limit)
        case .badHeader: self = .parseError("The headers must have one Content-Length, a whole number of bytes.")
        case .truncated: self = .parseError("The input ended inside a message.")
        }
    }
}
