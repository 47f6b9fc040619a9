#if FoundationURL
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
#endif

/// Why a client could not be initialised, with a stable code and a message that says what to do.
///
/// The constants work as patterns: `catch TrackerError.invalidBrandId` matches each error with that code.
public struct TrackerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as a word that does not change between versions. It is the same in every language.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The brand id is empty or not a number.
        case invalidBrandId = "INVALID_BRAND_ID"
        /// A field of the configuration is missing or out of range.
        case invalidConfiguration = "INVALID_CONFIGURATION"
        /// The backend did not make a session.
        case sessionCreationFailed = "SESSION_CREATION_FAILED"
        /// A value is one that JSON cannot hold. No tracking call throws it: its outcome is
        /// ``RefusalReason/serialization``.
        case serializationFailed = "SERIALIZATION_ERROR"
        /// A request got no answer. No call of a client throws it: such a request is tried again.
        case networkError = "NETWORK_ERROR"
        /// Initialisation failed for another reason: the tracker runs for another brand, or libcurl cannot be used.
        case initializationFailed = "INIT_ERROR"
        /// The API key is empty or holds a control character.
        case invalidAPIKey = "INVALID_API_KEY"
        /// The endpoint is not a URL that events can be sent to.
        case invalidEndpoint = "INVALID_ENDPOINT"
        /// The state folder cannot be used.
        case storage = "STORAGE_ERROR"
        /// An id is missing, blank or too long.
        case invalidValue = "INVALID_VALUE"
        /// The client is not initialised.
        case notInitialized = "NOT_INITIALIZED"
        /// A list holds as much as it may.
        case listFull = "LIST_FULL"
    }

    /// Why `initialize` ended without a session, or before its end.
    public enum Cause: Hashable, Sendable {
        /// There was no answer to the request. The text says why.
        case network(String)
        /// The backend answered with this HTTP status.
        case status(Int)
        /// The backend answered with a 2xx status, without a session id that can be read.
        case unreadableAnswer
        /// `initTimeout` passed first.
        case timeout
        /// The client was shut down before there was an answer.
        case shutdown
        /// The task that waited for `initialize` was cancelled. The initialization goes on.
        case cancelled
    }

    /// What went wrong.
    public var code: Code
    /// A sentence for a developer. It names the argument that is wrong, and never shows a secret.
    public var message: String
    /// What kept the backend from making a session, with ``Code/sessionCreationFailed``; ``Cause/shutdown`` also with
    /// ``Code/initializationFailed``; ``Cause/cancelled`` if nothing did yet.
    public var cause: Cause?

    /// Whether the system lacks something now, such as file descriptors, with ``Code/initializationFailed``: the same call
    /// may succeed later.
    package var isPassing = false

    /// The option at fault, with ``Code/invalidConfiguration`` and ``Cause/timeout``.
    package private(set) var fault: OptionFault?

    /// Makes the error of an option that cannot be used.
    package init(_ fault: OptionFault, _ code: Code = .invalidConfiguration, cause: Cause? = nil) {
        self.init(code, "", cause: cause)
        self.fault = fault
        message = message(naming: \.option)
    }

    /// The message, with a name for the option at fault.
    package func message(naming name: (OptionFault) -> String) -> String {
        guard let fault else { return message }
        let sentence = fault.sentence(naming: name(fault))
        guard code == .invalidConfiguration, let frame = code.frame else { return sentence }
        return TextTemplate.filled(frame) { _ in sentence }
    }

    /// Why the backend made no session, in a sentence, and what to do.
    package struct NoSession: Hashable, Sendable {
        package let why: String
        package let advice: FaultWord
    }

    /// Set if the backend's answer, or that there was none, is the reason.
    package private(set) var noSession: NoSession?

    /// Makes the error of an `initialize` for which the backend made no session.
    package init(noSession why: String, _ advice: FaultWord, cause: Cause) {
        let facts = ["why": why, "advice": advice.text]
        let code = Code.sessionCreationFailed
        self.init(code, TextTemplate.filled(code.frame ?? "") { facts[$0] }, cause: cause)
        noSession = NoSession(why: why, advice: advice)
    }

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: Cause? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Makes the error of a task that was cancelled while it waited for `initialize`.
    package static func waitCancelled(_ code: Code) -> TrackerError {
        TrackerError(code, "The task that waited was cancelled; initialization goes on.", cause: .cancelled)
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The brand id is empty or not a number.
    public static let invalidBrandId = TrackerError(
        .invalidBrandId, "Brand ID must be a number, such as \"925\"")
    /// A field of the configuration is missing or out of range.
    public static let invalidConfiguration = TrackerError(.invalidConfiguration, "The configuration is not valid")
    /// The backend did not make a session.
    public static let sessionCreationFailed = TrackerError(.sessionCreationFailed, "No session could be created")
    /// A value is one that JSON cannot hold. No tracking call throws it: its outcome is
    /// ``RefusalReason/serialization``.
    public static let serializationFailed = TrackerError(.serializationFailed, "A value cannot be written as JSON")
    /// A request got no answer. No call of a client throws it: such a request is tried again.
    public static let networkError = TrackerError(.networkError, "The request failed on its way")
    /// Initialisation failed for another reason: the tracker runs for another brand, or libcurl cannot be used.
    public static let initializationFailed = TrackerError(.initializationFailed, "Initialisation failed")
    /// The API key is empty or holds a control character.
    public static let invalidAPIKey = TrackerError(.invalidAPIKey, "The API key is empty or not printable")
    /// The endpoint is not a URL that events can be sent to.
    public static let invalidEndpoint = TrackerError(.invalidEndpoint, "The endpoint is not a usable URL")
    /// The state folder cannot be used.
    public static let storage = TrackerError(.storage, "The state folder cannot be used")
    /// An id is missing, blank or too long.
    public static let invalidValue = TrackerError(.invalidValue, "A value is missing or out of range")
    /// The client is not initialised.
    public static let notInitialized = TrackerError(.notInitialized, "The client is not initialized")
    /// A list holds as much as it may.
    public static let listFull = TrackerError(.listFull, "The list is full")

    /// Whether both have one code, whatever their messages.
    public static func ~= (pattern: TrackerError, error: TrackerError) -> Bool { error.code == pattern.code }

    /// Whether `error` is a tracker error with the code of `pattern`, whatever its message.
    public static func ~= (pattern: TrackerError, error: any Error) -> Bool {
        (error as? TrackerError)?.code == pattern.code
    }
}

#if FoundationURL
    extension TrackerError: LocalizedError {
        /// The message, which is then the `localizedDescription` as well.
        public var errorDescription: String? { message }
    }
#endif
