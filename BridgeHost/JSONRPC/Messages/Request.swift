/// A call that a client makes.
public struct Request: Sendable {
    /// The name of the method.
    public let method: String
    /// What it is called with.
    public let params: Params
    /// Whether the client wants no answer, not even of an error.
    public let isNotification: Bool

    /// Makes a request.
    public init(method: String, params: Params = .none, isNotification: Bool = false) {
        self.method = method
        self.params = params
        self.isNotification = isNotification
    }
}
