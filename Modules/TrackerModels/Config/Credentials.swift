/// What a client proves itself with to the server: its key, and header fields.
///
/// What is left out stays as it is. No description and no dump shows either.
public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private var secret: Secret?
    private var extraHeaders: ExtraHeaders?

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - key: The client's key, without blanks around it. With `nil` the key stays as it is.
    ///   - headers: Header fields for every request, instead of those that ``DeliveryOptions/headers`` or earlier
    ///     credentials have given. With `nil` they stay as they are.
    public init(key: String? = nil, headers: [String: String]? = nil) {
        secret = key.map { Secret($0) }
        extraHeaders = headers.map { ExtraHeaders($0) }
    }

    /// The client's key.
    public var key: String? {
        get { secret?.reveal() }
        set { secret = newValue.map { Secret($0) } }
    }

    /// Header fields for every request.
    public var headers: [String: String]? {
        get { extraHeaders?.values }
        set { extraHeaders = newValue.map { ExtraHeaders($0) } }
    }

    /// The key masked, and how many headers there are.
    public var description: String {
        "Credentials(key: \(secret?.masked ?? "nil"), headers: \(extraHeaders?.description ?? "nil"))"
    }

    /// A mirror without children, so that a dump shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Credentials {
    /// The parts, as a client uses them.
    ///
    /// - Throws: `invalidConfiguration` naming the part, if it cannot be sent or if there is none.
    package func checked() throws(TrackerError) -> (key: Secret?, headers: ExtraHeaders?) {
        guard secret != nil || extraHeaders != nil else { throw FieldCheck.fault("key", .required(example: nil)) }
        if let reason = extraHeaders?.fault { throw FieldCheck.fault("headers", reason) }
        guard let secret else { return (nil, extraHeaders) }
        do throws(OptionFault.Reason) {
            return (try Secret(given: secret.reveal()), extraHeaders)
        } catch {
            throw FieldCheck.fault("key", error)
        }
    }
}

/// A function of the program that gives a client its credentials.
///
/// It is asked when the client starts, and once when the server has answered 401, before delivery halts; in a halt before
/// each try. It is asked once at a time, and nothing is sent meanwhile. If it throws, or takes longer than 10 s, a warning
/// is logged and the client goes on with what it has.
public typealias CredentialsProvider = @Sendable () async throws -> Credentials
