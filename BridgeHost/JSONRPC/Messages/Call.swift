/// A message that asks for something, or tries to.
struct Call: Sendable {
    /// The id exactly as it was spelled; `nil` if no answer is wanted.
    var id: [UInt8]?
    /// The request, or the error of a message that is none.
    var request: Result<Request, RPCError>

    /// The id of answers to messages without one.
    static let nullID = Array("null".utf8)

    /// A message that is answered with an error, under the id that could be found.
    init(refused error: RPCError, id: [UInt8] = nullID) {
        self.id = id
        self.request = .failure(error)
    }

    init(_ request: Request, id: [UInt8]?) {
        self.id = id
        self.request = .success(request)
    }
}
