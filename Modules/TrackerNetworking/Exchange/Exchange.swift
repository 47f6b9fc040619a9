/// One exchange from its first request to its final answer: what to send, and after each answer, whether to go on.
///
/// It follows redirects by hand, with the same method, headers and body, because a library that follows them on its own
/// turns POST into GET and carries keys to other hosts. And it sends a body that was refused compressed once more plain.
struct Exchange {
    enum Step {
        /// Send ``Exchange/body`` to ``Exchange/address``.
        case send
        /// Nothing more.
        case finish(Result<HTTPResponse, TransportError>)
    }

    static let maxRedirects = 5

    /// The request as the caller made it.
    let request: HTTPRequest
    /// When the exchange ends, answered or not.
    let deadline: MonotonicInstant
    /// Where the next request goes.
    private(set) var address: WebAddress
    /// The body in gzip, as long as it is sent so.
    private(set) var compressedBody: [UInt8]?
    /// Whether it has been sent once more because the server ended its connection, as one that reloads does.
    var isRenewed = false

    private let origin: String
    private var redirects = 0
    private var wasRefusedCompressed = false

    /// - Parameter compressedBody: The request's body in gzip, if it is to be tried so.
    init(request: HTTPRequest, address: WebAddress, deadline: MonotonicInstant, compressedBody: [UInt8]?) {
        self.request = request
        self.address = address
        self.deadline = deadline
        self.compressedBody = compressedBody
        origin = address.origin
    }

    /// The body to send next; `nil` for none.
    var body: [UInt8]? { compressedBody ?? request.body }

    /// Takes the answer to what was sent last.
    ///
    /// - Parameters:
    ///   - answer: The answer. It may not be the final one.
    ///   - location: Where its `Location` leads, made absolute; `nil` without one.
    ///   - policy: What is known about compression; what the answer teaches is added.
    ///   - read: Takes a URL apart.
    mutating func advance(
        after answer: consuming HTTPResponse, leadingTo location: String?, policy: inout CompressionPolicy,
        read: (String) -> WebAddress?
    ) -> Step {
        if Self.isRedirect(answer.status), let location {
            return follow(read(location), after: answer)
        }
        if compressedBody != nil {
            if policy.retriesPlain(afterCompressed: answer.status, isRead: isRead(answer), from: origin) {
                compressedBody = nil
                wasRefusedCompressed = true
                return .send
            }
        } else if wasRefusedCompressed {
            policy.learn(fromPlain: answer.status, from: origin)
        }
        answer.bodyBytes = request.body?.count ?? 0
        answer.sentBytes = body?.count ?? 0
        return .finish(.success(answer))
    }

    /// Whether an answer shows that the server has read the body.
    private func isRead(_ answer: HTTPResponse) -> Bool {
        guard answer.status == 400, let list = request.listOfFaults else { return false }
        // What is no JSON shows nothing.
        return (try? JSONText(validating: answer.body))?[list]?.elements.isEmpty == false
    }

    private mutating func follow(_ target: WebAddress?, after answer: HTTPResponse) -> Step {
        let shown = request.isPathPrivate ? target?.origin : target?.display
        guard let target, address.mayRedirect(to: target) else {
            return .finish(
                .failure(
                    TransportError(
                        .redirectRefused, host: address.authority,
                        message: "\(address.authority) redirects (\(answer.status)) to "
                            + "\(shown ?? "what is no http URL"), which was not followed: keys go to no other host. "
                            + "If that is where the backend lives now, configure its address.",
                        target: shown, headers: answer.headers)))
        }
        guard redirects < Self.maxRedirects else {
            return .finish(
                .failure(
                    TransportError(
                        .tooManyRedirects, host: address.authority,
                        message: "\(address.authority) redirected more than \(Self.maxRedirects) times, "
                            + "last to \(shown ?? target.origin). Check the server's redirects.",
                        target: shown, headers: answer.headers)))
        }
        redirects += 1
        address = target
        return .send
    }

    /// 304 answers a condition that was not set, whatever `Location` it carries.
    private static func isRedirect(_ status: Int) -> Bool { (300..<400).contains(status) && status != 304 }
}
